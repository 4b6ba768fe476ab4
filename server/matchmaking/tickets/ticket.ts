import type { ModeStore } from "../mode_store.ts";
import type { TicketView } from "./ticket_store.ts";

export const ticketStates = ["QUEUED", "MATCHED", "CANCELLED", "EXPIRED", "INVALID"] as const;
export type TicketStatus = (typeof ticketStates)[number];

/** A ticket as its player sees it. */
export interface Ticket {
  readonly ticket_id: string;
  readonly mode: string;
  readonly status: TicketStatus;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly joined_at: string | null;
  readonly expires_at: string | null;
  readonly waited_seconds: number;
  /** How many wait in front of it; null unless it waits. */
  readonly ahead: number | null;
  /** The usual time to match; null unless it waits, and if nobody was matched lately. */
  readonly estimated_wait_seconds: number | null;
  readonly ended_at: string | null;
  readonly why: string | null;
  readonly match_id?: string;
  readonly peer_user_ids?: readonly string[];
  readonly session?: string;
}

/** Null if there is no time, or something else in its place: a damaged record must not hide the others. */
export function timeOf(milliseconds: number | string | undefined): string | null {
  const time = new Date(milliseconds === undefined || milliseconds === "" ? Number.NaN : Number(milliseconds));
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

function jsonOr<T>(text: string | undefined, otherwise: T): T {
  try {
    return JSON.parse(text ?? "") as T;
  } catch {
    return otherwise;
  }
}

/** Seconds with milliseconds. */
export const secondsOf = (milliseconds: number): number => Math.max(0, Math.round(milliseconds)) / 1000;

export function ticketOf(ticketId: string, mode: string, { now, fields, ahead, usualWait }: TicketView): Ticket {
  const isWaiting = fields.status === "QUEUED";
  const until = fields.ended_at === undefined ? now : Number(fields.ended_at);
  return {
    ticket_id: ticketId,
    mode,
    status: (fields.status ?? "INVALID") as TicketStatus,
    attributes: jsonOr<Record<string, unknown>>(fields.attributes, {}),
    joined_at: timeOf(fields.joined_at),
    expires_at: timeOf(fields.expires_at),
    waited_seconds: fields.joined_at === undefined ? 0 : secondsOf(until - Number(fields.joined_at)),
    ahead: isWaiting ? ahead : null,
    estimated_wait_seconds: isWaiting && usualWait !== null ? secondsOf(usualWait) : null,
    ended_at: timeOf(fields.ended_at),
    why: fields.why ?? null,
    ...(fields.status === "MATCHED"
      ? {
          match_id: fields.match_id ?? "",
          peer_user_ids: jsonOr<string[]>(fields.peer_user_ids, []),
          session: fields.session ?? "",
        }
      : {}),
  };
}

/** Finds a ticket in the modes. Its id does not tell its mode. */
export async function findTicket(stores: Iterable<ModeStore>, ticketId: string, traceparent?: string) {
  const found = await Promise.all(
    [...stores].map(async store => ({ mode: store.mode.name, view: await store.read(ticketId, traceparent) })),
  );
  return found.flatMap(({ mode, view }) => (view ? [{ mode, view }] : []))[0];
}

/** The last tickets of a user in all modes, newest first. */
export async function ticketsOf(stores: Iterable<ModeStore>, userId: string) {
  const lists = await Promise.all(
    [...stores].map(async store => (await store.ticketsOf(userId)).map(one => ({ mode: store.mode.name, ...one }))),
  );
  return lists.flat().sort((a, b) => (a.ticketId < b.ticketId ? 1 : -1));
}
