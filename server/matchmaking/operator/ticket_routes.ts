import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { limitOf } from "../../kernel/http/cursor.ts";
import { Problem } from "../../kernel/http/problem.ts";
import { pageLimit, pathId, uuid } from "../../kernel/http/text.ts";
import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import { maskFor } from "../masking.ts";
import type { ModeStore } from "../mode_store.ts";
import { findTicket, secondsOf, type Ticket, ticketOf, ticketsOf, timeOf } from "../tickets/ticket.ts";
import type { TicketView } from "../tickets/ticket_store.ts";
import { modeFilter, storesFor } from "./mode_filter.ts";

/** A ticket as operators see it. */
export interface OpsTicket extends Ticket {
  readonly user_id: string | null;
  readonly join_id: string | null;
  readonly trace_id: string | null;
}

/** A ticket that expired or was invalid. */
export interface EndedTicket {
  readonly ticket_id: string;
  readonly user_id: string | null;
  readonly mode: string;
  readonly status: "EXPIRED" | "INVALID";
  readonly why: string;
  readonly joined_at: string | null;
  readonly ended_at: string | null;
  readonly waited_seconds: number | null;
}

const strict = { additionalProperties: false };
const noQuery = Type.Object({}, strict);

function opsTicketOf(ticketId: string, mode: string, view: TicketView): OpsTicket {
  const { user_id = null, join_id = null, traceparent } = view.fields;
  return { ...ticketOf(ticketId, mode, view), user_id, join_id, trace_id: traceparent ? traceIdOf(traceparent) : null };
}

/** Tickets by their id, by their player, and those that ended without a match. */
export function lookupRoutes(stores: ReadonlyMap<string, ModeStore>, requires: Requires) {
  const endedOf = async (store: ModeStore): Promise<EndedTicket[]> =>
    (await store.endedTickets()).map(({ ticket_id, user_id = null, status, why, joined_at, ended_at }) => ({
      ticket_id,
      user_id,
      mode: store.mode.name,
      status,
      why,
      joined_at: timeOf(joined_at),
      ended_at: timeOf(ended_at),
      waited_seconds: joined_at === undefined ? null : secondsOf(Number(ended_at) - Number(joined_at)),
    }));

  return new Elysia({ normalize: false })
    .get(
      "/ops/tickets/:ticket_id",
      async ({ params: { ticket_id: id }, request }) => {
        const ticketId = id.toLowerCase();
        const found = await findTicket(stores.values(), ticketId);
        if (!found) throw new Problem(404, "TICKET_NOT_FOUND", "there is no such ticket, or it has ended long ago and is forgotten");
        return maskFor(callerOf(request), opsTicketOf(ticketId, found.mode, found.view));
      },
      {
        params: Type.Object({ ticket_id: uuid("the ticket") }),
        query: noQuery,
        ...requires("ops:read"),
        detail: { summary: "One ticket", description: "Scope: ops:read." },
      },
    )
    .get(
      "/ops/players/:user_id/tickets",
      async ({ params: { user_id }, request }) => {
        const found = await ticketsOf(stores.values(), user_id);
        return maskFor(callerOf(request), { user_id, tickets: found.map(({ ticketId, mode, view }) => opsTicketOf(ticketId, mode, view)) });
      },
      {
        params: Type.Object({ user_id: pathId("the player") }),
        query: noQuery,
        ...requires("ops:read"),
        detail: { summary: "The last tickets of a player", description: "Newest first, at most 10 of each mode. Scope: ops:read." },
      },
    )
    .get(
      "/ops/ended-tickets",
      async ({ query, request }) => {
        const lists = await Promise.all(storesFor(stores, query.mode).map(endedOf));
        const tickets = lists
          .flat()
          .filter(({ status }) => query.status === undefined || status === query.status)
          .sort((a, b) => ((a.ended_at ?? "") < (b.ended_at ?? "") ? 1 : -1));
        return maskFor(callerOf(request), { tickets: tickets.slice(0, limitOf(query)) });
      },
      {
        query: Type.Object(
          {
            mode: modeFilter(stores),
            status: Type.Optional(Type.Union([Type.Literal("EXPIRED"), Type.Literal("INVALID")], { description: "only these" })),
            limit: Type.Optional(pageLimit("how many")),
          },
          strict,
        ),
        ...requires("ops:read"),
        detail: {
          summary: "Tickets that expired or were invalid, newest first",
          description: "Of the newest 1,000 of each mode. Scope: ops:read.",
        },
      },
    );
}
