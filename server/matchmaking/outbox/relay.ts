import { withinLease } from "../../kernel/delivery/lease.ts";
import type { Work } from "../../kernel/delivery/liveness.ts";
import { type Loop, loop } from "../../kernel/life/loop.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import type { Publishing } from "../../kernel/nats/publisher.ts";
import type { StreamPublishing } from "../../kernel/nats/stream_publishing.ts";
import { failedBurst, repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import type { MatchmakingSettings } from "../config.ts";
import type { ModeStore } from "../mode_store.ts";
import type { MatchEntry } from "./event.ts";
import type { RelayMetrics } from "./relay_metrics.ts";

export interface RelayOptions {
  readonly store: ModeStore;
  readonly publishing: Pick<StreamPublishing<MatchEntry>, "mayPublish" | "publish" | "checks">;
  readonly tuning: MatchmakingSettings["relay"];
  readonly counters: RelayMetrics;
  readonly work: Work;
  readonly isPaused: () => boolean;
  readonly context: RoleContext;
}

interface Attempt {
  readonly entry: MatchEntry;
  readonly outcome: Publishing;
}

// An event that was refused or unanswered is tried again after this.
const retryAfter = 1000;

/** The deadline of a publish: well before another relay takes the event over. */
export const publishDeadline = ({ publishWithin, lease }: MatchmakingSettings["relay"]) => withinLease(publishWithin, lease);

/** Publishes the matches of a mode: take → publish → settle. A match that could not be published stays in Redis and is tried again. */
export function relay({ store, publishing, tuning, counters, work, isPaused, context }: RelayOptions): Loop {
  const { worker, faults, log, metrics } = context;
  const { mayPublish, publish, checks } = publishing;
  const mode = store.mode.name;
  /** From when on the events that this relay could not publish are tried again; undefined if there are none. */
  let retryAt: number | undefined;

  async function runOnce(): Promise<number> {
    await faults.pass();
    if (!(await mayPublish()) || isPaused()) return 0;
    const isRetry = retryAt !== undefined && performance.now() >= retryAt;
    const entries = await store.take(worker, tuning.lease, tuning.batch, isRetry);
    if (isRetry) retryAt = undefined;
    if (entries.length === 0) return 0;
    faults.at("matchmaking.taken");
    const attempts = await Promise.all(entries.map(async entry => ({ entry, outcome: await publish(entry) })));
    faults.at("matchmaking.published");
    const settled = await settle(attempts);
    // A refused event is work, too: a relay that tries again is not stuck.
    work.did(attempts.filter(({ outcome: { outcome } }) => outcome !== "untried").length);
    return settled;
  }

  async function settle(attempts: readonly Attempt[]): Promise<number> {
    const stored = attempts.flatMap(({ entry, outcome }) => (outcome.outcome === "published" ? [{ ...entry, seq: outcome.seq }] : []));
    const unreadable = attempts.flatMap(({ entry, outcome }) => (outcome.outcome === "unencodable" ? [{ entry, why: outcome.error }] : []));
    const open = attempts.filter(({ outcome: { outcome } }) => outcome !== "published" && outcome !== "unencodable");
    if (open.length > 0) retryAt = performance.now() + retryAfter;
    const settling = Promise.all([finish(stored), keepErrors(open), drop(unreadable)]);
    for (const { outcome } of attempts) counters.attempts.inc({ mode, outcome: outcome.outcome });
    await settling;
    return stored.length + unreadable.length;
  }

  async function finish(stored: readonly (MatchEntry & { readonly seq: number })[]): Promise<void> {
    if (stored.length === 0) return;
    checks.published(Math.max(...stored.map(({ seq }) => seq)));
    const changed = await store.published(stored);
    if (changed.length < stored.length)
      repeatsOf(log).write("warn", { mode, count: stored.length - changed.length }, "match.fenced", { key: mode, burst: rowBurst });
  }

  async function keepErrors(open: readonly Attempt[]): Promise<void> {
    const failed = open.flatMap(({ entry, outcome }) => ("error" in outcome ? [{ matchId: entry.matchId, why: outcome.error }] : []));
    if (failed.length === 0) return;
    await store.notPublished(failed);
    const fields = { mode, count: failed.length, match_id: failed[0]!.matchId, error: failed[0]!.why };
    repeatsOf(log).write("warn", fields, "match.not_published", { key: mode });
  }

  /** An entry that no relay can read. Its players wait again, if there are any. */
  async function drop(unreadable: readonly { readonly entry: MatchEntry; readonly why: string }[]): Promise<void> {
    for (const { entry, why } of unreadable) {
      const fields = { mode, entry: entry.entry, match_id: entry.matchId, error: why };
      repeatsOf(log).write("error", fields, "match.unreadable", { burst: failedBurst });
      const players = await store.playersOf(entry.matchId);
      const waiting = await store.voidMatch({ matchId: entry.matchId, entry: entry.entry, why, players });
      if (waiting !== undefined) counters.voided.inc({ mode });
    }
  }

  return loop({ name: `match.relay.${mode}`, runOnce, full: tuning.batch, interval: tuning.poll, log, metrics });
}
