import type { Health } from "../../kernel/life/health.ts";
import type { Broker } from "../../kernel/nats/broker.ts";
import type { Refusal, Signatures } from "../../kernel/nats/signatures.ts";
import { askSigned } from "../../kernel/nats/signed_answers.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";

export interface ConsumedAnswersOptions {
  readonly broker: Pick<Broker, "connection">;
  readonly subject: string;
  readonly signatures: Signatures;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly deadline?: number;
  /** How long health reports a refused answer, in milliseconds. */
  readonly reportFor?: number;
}

/** Which of the asked events notification has consumed, or why that is not known. */
export type Consumed = { readonly held: ReadonlySet<string> } | { readonly held: undefined; readonly why: string };

/**
 * Asks notification which events it has consumed. Answers without a valid signature are refused and counted. Health reports them even if a valid
 * answer came as well: an unknown process answers, or keys differ.
 */
export function consumedAnswers({
  broker,
  subject,
  signatures,
  log,
  health,
  metrics,
  deadline = 2000,
  reportFor = 60_000,
}: ConsumedAnswersOptions) {
  const refusals = metrics.counter("outbox_answers_refused_total", "Answers about consumed events that were not trusted, by why.", [
    "reason",
  ]);
  let refusedLately: { readonly at: number; readonly count: number }[] = [];

  /** Reports to health. `trouble`: why there is no valid answer. */
  function report(trouble?: string): void {
    refusedLately = refusedLately.filter(({ at }) => performance.now() - at < reportFor);
    const many = refusedLately.reduce((sum, { count }) => sum + count, 0);
    const refused = many > 0 && `${many} ${many === 1 ? "answer" : "answers"} with a wrong signature refused in the last minute`;
    const all = [refused, trouble].filter(Boolean).join(", ");
    if (all) health.trouble("confirmation", `${all}; published events are kept`);
    else health.fine("confirmation");
  }

  async function ask(eventIds: readonly string[]): Promise<Consumed> {
    let [count, first] = [0, undefined as Refusal | undefined];
    const asked = await askSigned(broker.connection(), {
      subject,
      text: JSON.stringify(eventIds),
      deadline,
      signatures,
      read: answer => heldOf(answer, eventIds),
      refused: refusal => {
        refusals.inc({ reason: refusal.fault });
        first ??= refusal;
        count++;
      },
    });
    if (first) {
      refusedLately.push({ at: performance.now(), count });
      log.warn({ count, error: first.reason }, "outbox.answers_refused");
    }
    if (asked.answer) {
      report();
      return { held: asked.answer };
    }
    const why = first
      ? `every answer was refused (${first.reason})`
      : asked.isNobodyThere
        ? "nobody answers which events notification holds"
        : `notification does not answer within ${deadline / 1000} s which events it holds`;
    report(why);
    return { held: undefined, why };
  }

  return { ask, nothingToAsk: () => report() };
}

/** The list of an answer. It may hold only events that were asked for. */
function heldOf(answer: string, asked: readonly string[]): ReadonlySet<string> | undefined {
  try {
    const held: unknown = JSON.parse(answer);
    const known = new Set<unknown>(asked);
    return Array.isArray(held) && held.every(id => known.has(id)) ? new Set(held as string[]) : undefined;
  } catch {
    return undefined;
  }
}
