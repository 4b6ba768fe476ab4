import { highestUuid } from "../../kernel/http/cursor.ts";
import { type Log, someIds } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { EntitlementSql, VerificationFindRow } from "../sql.gen.ts";
import type { ConsumedAnswers } from "./consumed_answers.ts";

export interface VerifierOptions {
  readonly verification: EntitlementSql["verification"];
  readonly isConnected: () => boolean;
  readonly notification: Pick<ConsumedAnswers, "ask">;
  readonly every: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

// Together with those that were held before and those that are marked, one question has at most 700 ids.
const newest = 100;
const page = 400;

/**
 * Checks that notification still holds what it has confirmed: a database that was restored to an earlier state does not. Each check asks about the
 * newest events, about those that it held at the check before, and about a page of a pass over all that are kept. Missing ones are marked; an operator
 * publishes them again. From the first finding on pages follow at once, until a pass has seen everything that is missing. Marked ones are asked about
 * at every check: if the right database is back, the marks are removed at once.
 */
export function verifier({ verification, isConnected, notification, every, log, metrics }: VerifierOptions) {
  const missing = metrics.gauge("outbox_confirmed_missing", "Confirmed events that notification no longer holds, counted up to 10,000.");
  /** If notification lacks one of these, its database was restored since, however many newer events it holds. */
  let heldBefore: readonly string[] = [];
  /** Marked events were found again, so the next check does not wait for its time. */
  let isFinding = false;

  /** Returns 1 if the next page is due at once. */
  async function runOnce(): Promise<number> {
    const state = await find();
    const isDue = state.due || isFinding;
    isFinding = false;
    if (!isDue || !isConnected()) return 0;
    const [top, next] = [
      await verification.page({ before: highestUuid, limit: newest }),
      await verification.page({ before: state.pass_before ?? highestUuid, limit: page }),
    ];
    const confirmed = [...top, ...next].filter(({ is_confirmed }) => is_confirmed).map(({ event_id }) => event_id);
    const found = await compare(confirmed, state);
    if (found === undefined) return 0;
    const next_before = next.length === page ? next.at(-1)!.event_id : null;
    const [recorded] = await verification.record({ asked_at: state.asked_at, pass_before: state.pass_before, next_before });
    await find();
    isFinding = found > 0;
    return recorded!.is_complete && !isFinding ? 0 : 1;
  }

  async function find() {
    const state = (await verification.find({ every_seconds: every / 1000 }))[0]!;
    missing.set(state.missing);
    return state;
  }

  /** Returns how many were found again; undefined if notification did not answer, or does not say how long it keeps ids: then nothing can be said. */
  async function compare(confirmed: readonly string[], state: VerificationFindRow): Promise<number | undefined> {
    const known = state.missing > 0 ? (await verification.marked({ limit: newest })).map(({ event_id }) => event_id) : [];
    const asked = [...new Set([...heldBefore, ...known, ...confirmed])];
    if (asked.length === 0) return 0;
    const { asked_at } = state;
    const answer = await notification.ask(asked, true);
    if (!answer.held || answer.remembers === undefined) return undefined;
    const { held, remembers } = answer;
    if (remembers !== state.remembers_seconds) await verification.remember({ remembers_seconds: remembers });
    const lacking = asked.filter(id => !held.has(id));
    const marked = lacking.length > 0 ? await verification.mark({ event_id: lacking, asked_at }) : [];
    if (marked.length > 0)
      log.error({ count: marked.length, event_ids: someIds(marked.map(row => row.event_id)) }, "outbox.confirmed_missing");
    const found = state.missing > 0 && held.size > 0 ? await verification.unmark({ event_id: [...held], asked_at }) : [];
    if (found.length > 0) log.info({ count: found.length }, "outbox.found_again");
    heldBefore = confirmed.filter(id => held.has(id)).slice(0, newest);
    return found.length;
  }

  return { runOnce };
}
