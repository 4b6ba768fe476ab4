import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { attributeText, mostAttributes } from "../../contracts/ticket_attributes.ts";
import { pathId, requestKey, uuid } from "../../kernel/http/text.ts";
import { type SessionGuard, signedInOf } from "../edge/session_guard.ts";
import type { Call, Downstream } from "./downstream.ts";

const strict = { additionalProperties: false };
const noQuery = Type.Object({}, strict);
const ticketParams = Type.Object({ ticket_id: uuid("the ticket") });
// Only the form. Matchmaking checks names and ranges, and what the queue requires.
const attributes = Type.Record(Type.String(), Type.Union([attributeText("a text"), Type.Number(), Type.Boolean()]), {
  maxProperties: mostAttributes,
  description: `at most ${mostAttributes} texts, numbers and booleans by name; a queue by rating requires the number \`rating\``,
});
const join = Type.Object(
  {
    party_size: Type.Literal(1, { description: "1: players join alone" }),
    attributes,
    idempotency_key: requestKey("repeat a request with the same key to get the same ticket"),
  },
  strict,
);

/** Queues and tickets of the signed-in user. Matchmaking takes the user from the token, and decides about access. */
export function matchmakingRoutes(services: Downstream, guard: SessionGuard) {
  const signedIn = guard.signedIn();
  const ask = (request: Request, rest: string, call?: Call) =>
    services.forward("matchmaking", `/v1/matchmaking/${rest}`, signedInOf(request).context, call);
  return new Elysia({ normalize: false })
    .get("/v1/matchmaking/queues", ({ request }) => ask(request, "queues"), {
      query: noQuery,
      ...signedIn,
      detail: { summary: "The queues, how many players wait in each, and for how long it usually takes" },
    })
    .post(
      "/v1/matchmaking/queues/:mode/tickets",
      ({ request, params: { mode }, body }) => ask(request, `queues/${encodeURIComponent(mode)}/tickets`, { method: "POST", body }),
      {
        params: Type.Object({ mode: pathId("the queue") }),
        query: noQuery,
        body: join,
        ...guard.signedInWithin("matchmaking"),
        detail: {
          summary: "Join a queue",
          description:
            "Returns a ticket. 409 ALREADY_QUEUED has the `ticket_id` of the live ticket in this queue. The match arrives as a notification MatchFound. Needs the header X-Kenri-CSRF.",
        },
      },
    )
    .get("/v1/matchmaking/tickets", ({ request }) => ask(request, "tickets"), {
      query: noQuery,
      ...signedIn,
      detail: { summary: "Your tickets: live ones and those that ended lately, newest first" },
    })
    .get("/v1/matchmaking/tickets/:ticket_id", ({ request, params: { ticket_id } }) => ask(request, `tickets/${ticket_id}`), {
      params: ticketParams,
      query: noQuery,
      ...signedIn,
      detail: {
        summary: "A ticket of yours",
        description: "404 TICKET_LOST: the store lost it; join again with the same idempotency_key.",
      },
    })
    .delete(
      "/v1/matchmaking/tickets/:ticket_id",
      ({ request, params: { ticket_id } }) => ask(request, `tickets/${ticket_id}`, { method: "DELETE" }),
      {
        params: ticketParams,
        query: noQuery,
        ...signedIn,
        parse: "none",
        detail: {
          summary: "Cancel a ticket",
          description: "A ticket that has ended is returned as it is; a matched one is refused with 409. Needs the header X-Kenri-CSRF.",
        },
      },
    );
}
