import { Problem } from "../../kernel/http/problem.ts";
import type { CallContext, Downstream } from "./downstream.ts";

/** The parts of a profile. */
export const parts = ["account", "entitlement", "matchmaking"] as const;
export type Part = (typeof parts)[number];

interface Account {
  readonly user_id: string;
  readonly display_name: string | null;
}

interface Entitlements {
  readonly user_id: string;
  readonly entitlements: readonly { readonly stock_keeping_unit: string; readonly status: string; readonly version: number }[];
  /** Set if there are more, at /v1/users/{user_id}/entitlements. */
  readonly next_cursor?: string;
}

interface Ticket {
  readonly ticket_id: string;
  readonly status: string;
  /** These three are there once it is MATCHED. */
  readonly match_id?: string;
  readonly peer_user_ids?: readonly string[];
  readonly session?: string;
}

/** The form of each part for a kind of client. */
export interface Shape {
  account(account: Account): unknown;
  entitlement(entitlements: Entitlements): unknown;
  matchmaking(ticket: Ticket): unknown;
}

export const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["web", { account: account => account, entitlement: entitlements => entitlements, matchmaking: ticket => ticket }],
  // A game shows a name, the active entitlements and the match, over a slow connection.
  [
    "game",
    {
      account: ({ user_id, display_name }) => ({ user_id, display_name }),
      entitlement: ({ user_id, entitlements, next_cursor }) => ({
        user_id,
        entitlements: entitlements
          .filter(one => one.status === "ACTIVE")
          .map(({ stock_keeping_unit, version }) => ({ stock_keeping_unit, version })),
        ...(next_cursor === undefined ? {} : { next_cursor }),
      }),
      // Members that the ticket does not have are undefined, and JSON leaves them out.
      matchmaking: ({ ticket_id, status, match_id, peer_user_ids, session }) => ({ ticket_id, status, match_id, peer_user_ids, session }),
    },
  ],
]);

/** Whose profile, and what of it. */
export interface Wanted {
  readonly userId: string;
  readonly parts: readonly Part[];
  /** Matchmaking's part is this ticket; without one the part is absent. */
  readonly ticketId?: string | undefined;
}

/** Reads the wanted parts in parallel. If one fails, the whole request fails and names it: half a profile would look like a whole one. */
export async function aggregate(services: Downstream, context: CallContext, { userId, parts: wanted, ticketId }: Wanted, shape: Shape) {
  const id = encodeURIComponent(userId);
  const sources: Record<Part, () => Promise<unknown>> = {
    account: async () => shape.account(await services.ask<Account>("account", `/users/${id}`, context)),
    entitlement: async () => shape.entitlement(await services.ask<Entitlements>("entitlement", `/v1/users/${id}/entitlements`, context)),
    matchmaking: async () => {
      const ticket = ticketId === undefined ? undefined : await ticketOf(services, context, ticketId);
      return ticket && shape.matchmaking(ticket);
    },
  };
  const found = await Promise.all(wanted.map(async part => [part, await sources[part]()] as const));
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

const gone = new Set(["TICKET_NOT_FOUND", "TICKET_LOST"]);

/** A ticket that no longer exists is no failure: tickets are kept for a limited time. */
async function ticketOf(services: Downstream, context: CallContext, ticketId: string): Promise<Ticket | undefined> {
  try {
    return await services.ask<Ticket>("matchmaking", `/v1/matchmaking/tickets/${ticketId}`, context);
  } catch (error) {
    if (error instanceof Problem && gone.has(error.code)) return undefined;
    throw error;
  }
}
