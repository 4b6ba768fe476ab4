import type { Health } from "../../kernel/life/health.ts";
import type { Broker } from "../../kernel/nats/broker.ts";
import type { Refusal, Signatures } from "../../kernel/nats/signatures.ts";
import { askSigned } from "../../kernel/nats/signed_answers.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";

export interface TakenInOptions {
  readonly broker: Pick<Broker, "connection">;
  readonly subject: string;
  readonly signatures: Signatures;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly deadline?: number;
  /** How long health speaks of a refused answer, in milliseconds. */
  readonly toldFor?: number;
}

/** Which of the asked events notification holds, or why that is not known. */
export type TakenIn = { readonly held: ReadonlySet<string> } | { readonly held: undefined; readonly why: string };

/**
 * Asks notification which events it holds. Answers without the right signature are refused and counted; health tells of them even if the right
 * answer came as well, because somebody answers who should not, or keys differ.
 */
export function takenInAnswers({ broker, subject, signatures, log, health, metrics, deadline = 2000, toldFor = 60_000 }: TakenInOptions) {
  const refusals = metrics.counter("outbox_answers_refused_total", "Answers about consumed events that were not trusted, by why.", [
    "reason",
  ]);
  let refusedLately: { readonly at: number; readonly count: number }[] = [];

  /** What health says of the confirmation; `trouble` if nobody gave an answer that counts. */
  function tell(trouble?: string): void {
    refusedLately = refusedLately.filter(({ at }) => performance.now() - at < toldFor);
    const many = refusedLately.reduce((sum, { count }) => sum + count, 0);
    const refused = many > 0 && `${many} ${many === 1 ? "answer" : "answers"} with a wrong signature refused in the last minute`;
    const all = [refused, trouble].filter(Boolean).join(", ");
    if (all) health.trouble("confirmation", `${all}; published events are kept`);
    else health.fine("confirmation");
  }

  async function ask(eventIds: readonly string[]): Promise<TakenIn> {
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
      tell();
      return { held: asked.answer };
    }
    const why = first
      ? `every answer was refused (${first.reason})`
      : asked.isNobodyThere
        ? "nobody answers which events notification holds"
        : `notification does not answer within ${deadline / 1000} s which events it holds`;
    tell(why);
    return { held: undefined, why };
  }

  return { ask, nothingToAsk: () => tell() };
}

/** The list of an answer: some of what was asked for, nothing else. */
function heldOf(answer: string, asked: readonly string[]): ReadonlySet<string> | undefined {
  try {
    const held: unknown = JSON.parse(answer);
    const known = new Set<unknown>(asked);
    return Array.isArray(held) && held.every(id => known.has(id)) ? new Set(held as string[]) : undefined;
  } catch {
    return undefined;
  }
}
