import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../../kernel/http/callers.ts";
import type { History, ModeStore } from "../mode_store.ts";
import { unpairedFor } from "../pairing/unpaired.ts";
import { secondsOf } from "../tickets/ticket.ts";

const hour = 3_600_000;
const minute = 60_000;
const shownMinutes = 60;

/** A queue as operators see it. */
export type Queue = Awaited<ReturnType<typeof queueOf>>;

/** How the queues are. */
export const queueRoutes = (stores: ReadonlyMap<string, ModeStore>, opens: number, requires: Requires) =>
  new Elysia({ normalize: false }).get(
    "/ops/queues",
    async () => ({ at: new Date().toISOString(), queues: await Promise.all([...stores.values()].map(store => queueOf(store, opens))) }),
    {
      query: Type.Object({}, { additionalProperties: false }),
      ...requires("ops:read"),
      detail: {
        summary: "How the queues are, mode by mode",
        description:
          "Who waits and for how long, for how long two wait whom the strategy pairs at once (`unpaired_seconds`), for how long a ticket waits past its expiry (`overdue_seconds`), the time to match of the last hour (its newest 1,000 players), the last 60 minutes, the tickets since the store was made, and matches that are not published or not known to be announced. Scope: ops:read.",
      },
    },
  );

async function queueOf(store: ModeStore, opens: number) {
  const [depth, history] = await Promise.all([store.depth(), store.history()]);
  const { now, waiting, oldestJoinedAt, nextExpiry, unpublished, unpublishedSince, unannounced, unannouncedSince } = depth;
  const { totals } = history;
  const unpaired = unpairedFor(depth, store.mode.strategy, opens);
  const total = (what: string) => Number(totals[what] ?? 0);
  const since = (at: number | null) => (at === null ? null : secondsOf(now - at));
  return {
    mode: store.mode.name,
    strategy: store.mode.strategy,
    ticket_ttl_seconds: store.mode.ttl / 1000,
    waiting,
    oldest_wait_seconds: since(oldestJoinedAt),
    unpaired_seconds: unpaired === null ? null : secondsOf(unpaired),
    overdue_seconds: nextExpiry === null || nextExpiry > now ? null : secondsOf(now - nextExpiry),
    time_to_match: timeToMatch(history),
    minutes: minutesOf(history),
    totals: {
      joined: total("joined"),
      matched: total("matched"),
      cancelled: total("cancelled"),
      expired: total("expired"),
      invalid: total("invalid"),
    },
    unpublished,
    oldest_unpublished_seconds: since(unpublishedSince),
    unconfirmed: unannounced,
    oldest_unconfirmed_seconds: since(unannouncedSince),
    void_matches: total("void"),
  };
}

function timeToMatch({ now, waits }: History) {
  const lately = waits
    .filter(({ at }) => now - at < hour)
    .map(({ wait }) => wait)
    .sort((a, b) => a - b);
  const quantile = (share: number) => {
    const wait = lately[Math.ceil(lately.length * share) - 1];
    return wait === undefined ? null : secondsOf(wait);
  };
  return { samples: lately.length, p50_seconds: quantile(0.5), p99_seconds: quantile(0.99) };
}

function minutesOf({ now, minutes }: History) {
  const last = Math.floor(now / minute);
  return Array.from({ length: shownMinutes }, (_, n) => {
    const one = last - shownMinutes + 1 + n;
    const count = (what: string) => Number(minutes[`${one}:${what}`] ?? 0);
    return {
      minute: new Date(one * minute).toISOString(),
      joined: count("joined"),
      matches: count("matches"),
      cancelled: count("cancelled"),
      expired: count("expired"),
      invalid: count("invalid"),
    };
  });
}
