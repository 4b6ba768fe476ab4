import type { Redis } from "../kernel/redis/redis.ts";
import type { MatchmakingSettings } from "./config.ts";
import type { NoteEnded } from "./ended_tickets.ts";
import { type ModeRedis, modeRedis, numberOr } from "./mode_scripts.ts";
import type { Mode } from "./modes.ts";
import { matchStore } from "./outbox/match_store.ts";
import { pairingStore } from "./pairing/pairing_store.ts";
import { ticketStore } from "./tickets/ticket_store.ts";

/** How many wait in a mode, and what is not published or not announced. */
export interface Depth {
  readonly now: number;
  readonly waiting: number;
  readonly oldestJoinedAt: number | null;
  /** When the second in the queue joined: since then there are two to pair. */
  readonly secondJoinedAt: number | null;
  /** When the next ticket expires. */
  readonly nextExpiry: number | null;
  readonly unpublished: number;
  readonly unpublishedSince: number | null;
  readonly unannounced: number;
  readonly unannouncedSince: number | null;
}

/** What has happened in a mode. */
export interface History {
  readonly now: number;
  readonly totals: Readonly<Record<string, string>>;
  /** By `<minute since 1970>:<what>`. */
  readonly minutes: Readonly<Record<string, string>>;
  /** The last times to match, newest first. */
  readonly waits: readonly { readonly at: number; readonly wait: number }[];
}

type RawDepth = readonly [number, number, string, string, string, number, string, number, string];

/** The state of a mode in Redis. */
export function modeStore(redis: Redis, prefix: string, mode: Mode, keep: number, noteEnded: NoteEnded = () => {}) {
  const parts = modeRedis(redis, prefix, mode, keep, noteEnded);
  return { mode, keep, key: parts.key, ...ticketStore(parts), ...pairingStore(parts), ...matchStore(parts), ...standingStore(parts) };
}

/** How a mode is. A method is the script of the same name, which documents it. */
const standingStore = ({ run, keep }: ModeRedis) => ({
  async depth(): Promise<Depth> {
    const [now, waiting, first, second, expiry, unpublished, since, unannounced, publishedSince] = await run<RawDepth>("depth", []);
    return {
      now,
      waiting,
      oldestJoinedAt: numberOr(first),
      secondJoinedAt: numberOr(second),
      nextExpiry: numberOr(expiry),
      unpublished,
      unpublishedSince: numberOr(since),
      unannounced,
      unannouncedSince: numberOr(publishedSince),
    };
  },

  async history(): Promise<History> {
    const [now, totals, minutes, waits] = await run<[number, string, string, string]>("history", []);
    const samples = JSON.parse(waits) as string[] | Record<string, never>;
    return {
      now,
      totals: JSON.parse(totals) as Record<string, string>,
      minutes: JSON.parse(minutes) as Record<string, string>,
      // An empty Lua table is encoded as an object.
      waits: (Array.isArray(samples) ? samples : []).map(sample => {
        const [at, wait] = sample.split(":");
        return { at: Number(at), wait: Number(wait) };
      }),
    };
  },

  async erase(userId: string, pseudonym: string) {
    const [waiting, left, changed] = await run<[number, number, number]>("erase", [userId, pseudonym, keep]);
    return { waiting, left, changed };
  },
});

export type ModeStore = ReturnType<typeof modeStore>;

/** The stores of all modes, by name. */
export const modeStores = (
  redis: Redis,
  { prefix, modes, keep }: MatchmakingSettings,
  noteEnded: NoteEnded,
): ReadonlyMap<string, ModeStore> => new Map([...modes.values()].map(mode => [mode.name, modeStore(redis, prefix, mode, keep, noteEnded)]));
