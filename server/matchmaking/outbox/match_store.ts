import type { ModeRedis } from "../mode_scripts.ts";
import type { MatchEntry } from "./event.ts";
import { readFacts } from "./match_facts.ts";

export interface Stored {
  readonly entry: string;
  readonly matchId: string;
  readonly generation: number;
  readonly seq: number;
}

/** A published match that is not known to be announced. */
export interface Unannounced {
  readonly matchId: string;
  /** Since it was published, in milliseconds. */
  readonly age: number;
  readonly generation: number;
  readonly event: string;
}

/** The match in which a player's request to join was announced. */
export interface Elsewhere {
  readonly matchId: string;
  readonly peerUserIds: readonly string[];
  readonly session: string;
}

export interface Voided {
  readonly matchId: string;
  readonly why: string;
  /** The entry of its event, if that is still in the stream. */
  readonly entry?: string;
  readonly players: readonly { readonly ticketId: string; readonly elsewhere?: Elsewhere | undefined }[];
}

/** The matches of a mode on their way to the players. A method is the script of the same name, which documents it. */
export function matchStore({ mode, keep, key, run, send, noteEnded }: ModeRedis) {
  const store = {
    async take(relay: string, lease: number, most: number, withOwn: boolean): Promise<MatchEntry[]> {
      const taken = await run<[string, string, string, string][]>("take", [relay, Math.round(lease), most, withOwn ? 1 : 0]);
      return taken.map(([entry, matchId, generation, event]) => ({
        entry,
        mode: mode.name,
        matchId,
        generation: generation === "" ? Number.NaN : Number(generation),
        event,
      }));
    },

    left: (lease: number) => run<number>("left", [Math.round(lease)]),

    forgetRelays: (idle: number) => run<number>("forget_relays", [idle]),

    published: (stored: readonly Stored[]) =>
      run<string[]>(
        "published",
        stored.flatMap(({ entry, matchId, generation, seq }) => [entry, matchId, generation, seq]),
      ),

    notPublished: (failed: readonly { readonly matchId: string; readonly why: string }[]) =>
      run<number>(
        "not_published",
        failed.flatMap(({ matchId, why }) => [matchId, why]),
      ),

    announced: (matchIds: readonly string[]) => run<string[]>("announced", [keep, ...matchIds]),

    async unannounced(from: number, most: number): Promise<Unannounced[]> {
      const found = await run<[string, number, string, string][]>("unannounced", [from, most]);
      return found.map(([matchId, age, generation, event]) => ({ matchId, age, generation: Number(generation), event }));
    },

    /** Matches that were published until then, in milliseconds, and are not known to be announced. */
    publishedBefore: (until: number, most: number) => send<string[]>("ZRANGEBYSCORE", key("published"), "-inf", until, "LIMIT", 0, most),

    resend: (matchIds: readonly string[]) => run<string[]>("resend", matchIds),

    /** Returns how many tickets wait again; undefined if the match was not open any more. */
    async voidMatch({ matchId, why, entry = "", players }: Voided): Promise<number | undefined> {
      const elsewhere = players.flatMap(({ ticketId, elsewhere: other }) => [
        ticketId,
        other?.matchId ?? "",
        JSON.stringify(other?.peerUserIds ?? []),
        other?.session ?? "",
      ]);
      const found = await run<[waiting: number, invalid: number] | null>("void", [matchId, why, mode.ttl, keep, entry, ...elsewhere]);
      noteEnded(0, found?.[1] ?? 0);
      return found?.[0];
    },

    /** The fields of a match; empty if there is no such match, or a key of another type in its place. */
    async matchFields(matchId: string): Promise<Readonly<Record<string, string>>> {
      try {
        return await send<Record<string, string>>("HGETALL", key(`match:${matchId}`));
      } catch (error) {
        if (!(error as Error).message.startsWith("WRONGTYPE")) throw error;
        return {};
      }
    },

    /** The tickets of a match; empty if it is not known or cannot be read. */
    async playersOf(matchId: string): Promise<{ ticketId: string }[]> {
      const { event } = await store.matchFields(matchId);
      try {
        return event === undefined ? [] : readFacts(event).players.map(({ ticket_id }) => ({ ticketId: ticket_id }));
      } catch {
        return [];
      }
    },

    recentMatches: (most: number) => send<string[]>("LRANGE", key("recent"), 0, most - 1),
  };
  return store;
}
