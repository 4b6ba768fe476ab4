import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { requestContext } from "../../kernel/http/http.ts";
import { Problem } from "../../kernel/http/problem.ts";
import { text, uuid } from "../../kernel/http/text.ts";
import { roles } from "../../kernel/http/tokens.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { joinIdOf } from "../ids.ts";
import type { ModeStore } from "../mode_store.ts";
import { JoinBody, normalForm } from "./join_request.ts";
import { findTicket, secondsOf, ticketOf, ticketsOf } from "./ticket.ts";

export interface TicketOptions {
  readonly stores: ReadonlyMap<string, ModeStore>;
  readonly requires: Requires;
  /** Called when somebody has joined. */
  readonly joined: () => void;
  readonly metrics: Metrics;
}

const ticketParams = Type.Object({ ticket_id: uuid("the ticket") });
const modeParams = Type.Object({ mode: text("the mode, such as casual") });
const noQuery = Type.Object({}, { additionalProperties: false });

/** A signed-in player's own tickets, and the queues. */
export function ticketRoutes({ stores, requires, joined, metrics }: TicketOptions) {
  const player = requires({ roles });
  const tickets = metrics.counter("matchmaking_joins_total", "Requests to join a queue, by what became of them.", ["mode", "outcome"]);
  const cancels = metrics.counter("matchmaking_cancelled_total", "Tickets that their players cancelled.", ["mode"]);
  const userOf = (request: Request) => callerOf(request).person!.userId;
  const traceparentOf = (request: Request) => requestContext(request).trace.traceparent;
  const all = () => stores.values();

  function storeOf(mode: string): ModeStore {
    const store = stores.get(mode);
    if (!store)
      throw new Problem(404, "MODE_NOT_FOUND", `there is no mode ${JSON.stringify(mode)}; there are ${[...stores.keys()].join(", ")}`);
    return store;
  }

  return new Elysia({ normalize: false })
    .get("/v1/matchmaking/queues", async () => ({ queues: await Promise.all([...all()].map(queueOf)) }), {
      query: noQuery,
      ...player,
      detail: {
        summary: "The queues",
        description: "How many wait in each, and the usual time to match (null if nobody was matched lately).",
      },
    })
    .post(
      "/v1/matchmaking/queues/:mode/tickets",
      async ({ params, body, request, set }) => {
        const store = storeOf(params.mode);
        const userId = userOf(request);
        const { outcome, ticketId, view } = await store.join({
          userId,
          joinId: joinIdOf(userId, params.mode, body.idempotency_key),
          ticketId: Bun.randomUUIDv7(),
          ...normalForm(body, store.mode),
          traceparent: traceparentOf(request),
        });
        tickets.inc({ mode: params.mode, outcome });
        if (outcome === "conflict")
          throw new Problem(409, "IDEMPOTENCY_KEY_CONFLICT", "the idempotency_key was used with other attributes; use a new key");
        if (outcome === "already_queued")
          throw new Problem(409, "ALREADY_QUEUED", `you wait in ${params.mode} already, with the ticket ${ticketId}`, {
            extra: { ticket_id: ticketId },
          });
        if (outcome === "joined") joined();
        else set.headers["idempotency-replayed"] = "true";
        return ticketOf(ticketId, params.mode, view);
      },
      {
        params: modeParams,
        body: JoinBody,
        ...player,
        detail: {
          summary: "Join a queue",
          description:
            "The same idempotency_key and attributes again get the same ticket, with `Idempotency-Replayed: true`. 409 IDEMPOTENCY_KEY_CONFLICT: other attributes. 409 ALREADY_QUEUED: you wait in this mode with the ticket `ticket_id`. 404 MODE_NOT_FOUND.",
        },
      },
    )
    .get(
      "/v1/matchmaking/tickets",
      async ({ request }) => ({
        tickets: (await ticketsOf(all(), userOf(request))).map(({ ticketId, mode, view }) => ticketOf(ticketId, mode, view)),
      }),
      { query: noQuery, ...player, detail: { summary: "Your last tickets", description: "Newest first, at most 10 of each mode." } },
    )
    .get(
      "/v1/matchmaking/tickets/:ticket_id",
      async ({ params: { ticket_id: id }, request }) => {
        const ticketId = id.toLowerCase();
        const found = await findTicket(all(), ticketId, traceparentOf(request));
        // Of a ticket without a user only its place in the queue was left.
        if (!found?.view.fields.user_id) throw noSuchTicket(ticketId, keepOf(stores));
        if (found.view.fields.user_id !== userOf(request)) throw notYours();
        return ticketOf(ticketId, found.mode, found.view);
      },
      {
        params: ticketParams,
        query: noQuery,
        ...player,
        detail: {
          summary: "One of your tickets",
          description:
            "404 TICKET_LOST: the store lost a ticket of this age; join again with the same idempotency_key. 404 TICKET_NOT_FOUND: there is none. 403 TICKET_FORBIDDEN: another player's.",
        },
      },
    )
    .delete(
      "/v1/matchmaking/tickets/:ticket_id",
      async ({ params: { ticket_id: id }, request }) => {
        const ticketId = id.toLowerCase();
        const answers = await Promise.all(
          [...all()].map(async store => ({
            mode: store.mode.name,
            found: await store.cancel(ticketId, userOf(request), traceparentOf(request)),
          })),
        );
        const answer = answers.find(({ found }) => found !== undefined);
        if (!answer?.found) throw noSuchTicket(ticketId, keepOf(stores));
        const { outcome, view } = answer.found;
        if (outcome === "forbidden" || !view) throw notYours();
        if (outcome === "cancelled") cancels.inc({ mode: answer.mode });
        const ticket = ticketOf(ticketId, answer.mode, view);
        if (ticket.status === "MATCHED")
          throw new Problem(409, "ALREADY_MATCHED", `it is too late: the ticket is in the match ${ticket.match_id}`, {
            extra: { match_id: ticket.match_id },
          });
        return ticket;
      },
      {
        params: ticketParams,
        query: noQuery,
        ...player,
        parse: "none", // it has no body
        detail: {
          summary: "Cancel one of your tickets",
          description: "A second time gets the same answer. 409 ALREADY_MATCHED: a match was found before.",
        },
      },
    );
}

async function queueOf(store: ModeStore) {
  const { waiting, usualWait } = await store.queue();
  const { name, strategy, ttl } = store.mode;
  return {
    mode: name,
    strategy,
    ticket_ttl_seconds: ttl / 1000,
    waiting,
    estimated_wait_seconds: usualWait === null ? null : secondsOf(usualWait),
  };
}

const keepOf = (stores: ReadonlyMap<string, ModeStore>): number => Math.max(...[...stores.values()].map(({ keep }) => keep));

const notYours = () => new Problem(403, "TICKET_FORBIDDEN", "the ticket belongs to another player");

/** A ticket that is younger than `keep` cannot have been forgotten: the store lost it. Its id has the time when it was made. */
function noSuchTicket(ticketId: string, keep: number): Problem {
  const age = Date.now() - Number.parseInt(ticketId.replaceAll("-", "").slice(0, 12), 16);
  const isYoung = ticketId[14] === "7" && age < keep && age > -60_000;
  return isYoung
    ? new Problem(404, "TICKET_LOST", "the ticket was lost with the state of the queue; join again with the same idempotency_key")
    : new Problem(404, "TICKET_NOT_FOUND", `there is no such ticket; an ended ticket is kept for ${keep / 1000} s`);
}
