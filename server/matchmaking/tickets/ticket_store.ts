import { type ModeRedis, numberOr } from "../mode_scripts.ts";

type RawView = readonly [
  now: number,
  expired: number,
  invalid: number,
  fields?: string,
  ahead?: number | string,
  usualWait?: number | string,
];

/** A ticket at one moment. Times are milliseconds since 1970 by the clock of Redis. */
export interface TicketView {
  readonly now: number;
  readonly fields: Readonly<Record<string, string>>;
  /** How many wait in front of it; null if it does not wait. */
  readonly ahead: number | null;
  /** The usual time to match, in milliseconds; null if nobody was matched lately. */
  readonly usualWait: number | null;
}

export interface Join {
  readonly userId: string;
  readonly joinId: string;
  readonly ticketId: string;
  readonly digest: string;
  readonly attributes: string;
  readonly rating: number | undefined;
  readonly traceparent: string;
}

/** A ticket that expired or was invalid. */
export interface Ended {
  readonly ticket_id: string;
  readonly user_id?: string;
  readonly status: "EXPIRED" | "INVALID";
  readonly why: string;
  readonly joined_at?: string;
  readonly ended_at: string;
}

/** Empty for an entry that is none: it must not hide the others. */
function readEnded(entry: string): Ended[] {
  try {
    const ended = JSON.parse(entry) as Ended | null;
    return typeof ended?.ticket_id === "string" ? [ended] : [];
  } catch {
    return [];
  }
}

/** The tickets of a mode. A method is the script of the same name, which documents it. */
export function ticketStore({ mode, keep, key, run, send, noteEnded }: ModeRedis) {
  function viewOf([now, expired, invalid, fields, ahead, usualWait]: RawView): TicketView | undefined {
    noteEnded(expired, invalid);
    return fields === undefined
      ? undefined
      : { now, fields: JSON.parse(fields) as Record<string, string>, ahead: numberOr(ahead), usualWait: numberOr(usualWait) };
  }

  const store = {
    async join({ userId, joinId, ticketId, digest, attributes, rating, traceparent }: Join) {
      const args = [userId, joinId, ticketId, digest, attributes, rating ?? "", traceparent, mode.ttl, keep];
      type Joined = ["joined" | "replayed" | "conflict" | "already_queued", string, RawView];
      const [outcome, id, view] = await run<Joined>("join", args, traceparent);
      return { outcome, ticketId: id, view: viewOf(view)! };
    },

    async cancel(ticketId: string, userId: string, traceparent?: string) {
      type Cancelled = ["cancelled" | "ended" | "forbidden", RawView];
      const found = await run<Cancelled | null>("cancel", [ticketId, userId, keep], traceparent);
      return found ? { outcome: found[0], view: viewOf(found[1]) } : undefined;
    },

    read: async (ticketId: string, traceparent?: string) => viewOf(await run<RawView>("read", [ticketId, keep], traceparent)),

    async queue() {
      const [waiting, usualWait] = await run<[number, number | string]>("queue", []);
      return { waiting, usualWait: numberOr(usualWait) };
    },

    /** The last tickets of a user, newest first. */
    async ticketsOf(userId: string): Promise<{ ticketId: string; view: TicketView }[]> {
      const ids = await send<string[]>("LRANGE", key(`player:${userId}`), 0, -1);
      const views = await Promise.all(ids.map(async ticketId => ({ ticketId, view: await store.read(ticketId) })));
      return views.flatMap(({ ticketId, view }) => (view ? [{ ticketId, view }] : []));
    },

    /** The last tickets that expired or were invalid, newest first. */
    endedTickets: async (): Promise<Ended[]> => (await send<string[]>("LRANGE", key("ended"), 0, -1)).flatMap(readEnded),
  };
  return store;
}
