import type { Health } from "../life/health.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { repeatsOf } from "../telemetry/repeats.ts";
import type { Broker } from "./broker.ts";
import type { Refusal, Signatures } from "./signatures.ts";
import { askSigned } from "./signed_answers.ts";

/** The words of a system in messages. */
export interface ConfirmationWords {
  /** The system that answers. */
  readonly answerer: string;
  /** What is asked, such as `which events ${who} holds`. */
  readonly question: (who: string) => string;
  /** What the answers are about, such as `consumed events`. */
  readonly answers: string;
  /** What is kept without a valid answer, such as `published events`. */
  readonly kept: string;
}

export interface ConfirmationsOptions<Question, Answer> {
  /** Metrics and lines of the log begin with it. */
  readonly name: string;
  readonly broker: Pick<Broker, "connection">;
  readonly subject: string;
  readonly signatures: Signatures;
  /** The content of an answer; undefined if it does not answer this question. */
  readonly read: (answer: string, question: Question) => Answer | undefined;
  /** The newest form of answer that `read` understands. */
  readonly form?: number | undefined;
  readonly about: ConfirmationWords;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly deadline?: number | undefined;
  /** How long health reports a refused answer, in milliseconds. */
  readonly reportFor?: number | undefined;
}

/** The answer, or why there is none. */
export type Confirmation<Answer> = { readonly answer: Answer } | { readonly answer: undefined; readonly why: string };

/**
 * Asks the system that consumes a stream which messages arrived. The question is sent as JSON. Answers without a valid signature are refused and
 * counted. Health reports them even if a valid answer came as well: an unknown process answers, or keys differ.
 */
export function confirmations<Question, Answer>(options: ConfirmationsOptions<Question, Answer>) {
  const { name, broker, subject, signatures, read, form, about, log, health, metrics, deadline = 2000, reportFor = 60_000 } = options;
  const refusals = metrics.counter(`${name}_answers_refused_total`, `Answers about ${about.answers} that were not trusted, by why.`, [
    "reason",
  ]);
  let refusedLately: { readonly at: number; readonly count: number }[] = [];

  /** Reports to health. `trouble`: why there is no valid answer. */
  function report(trouble?: string): void {
    refusedLately = refusedLately.filter(({ at }) => performance.now() - at < reportFor);
    const many = refusedLately.reduce((sum, { count }) => sum + count, 0);
    const refused = many > 0 && `${many} ${many === 1 ? "answer" : "answers"} with a wrong signature refused in the last minute`;
    const all = [refused, trouble].filter(Boolean).join(", ");
    if (all) health.trouble("confirmation", `${all}; ${about.kept} are kept`);
    else health.fine("confirmation");
  }

  /** `inPassing`: nothing waits for the answer, so health does not report that there is none. */
  async function ask(question: Question, inPassing = false): Promise<Confirmation<Answer>> {
    let [count, first] = [0, undefined as Refusal | undefined];
    const asked = await askSigned(broker.connection(), {
      subject,
      text: JSON.stringify(question),
      form,
      deadline,
      signatures,
      read: answer => read(answer, question),
      refused: refusal => {
        refusals.inc({ reason: refusal.fault });
        first ??= refusal;
        count++;
      },
    });
    if (first) {
      refusedLately.push({ at: performance.now(), count });
      repeatsOf(log).write("error", { count, error: first.reason }, `${name}.answers_refused`, { key: first.fault });
    }
    if (!("isNobodyThere" in asked)) {
      report();
      return asked;
    }
    const why = first
      ? `every answer was refused (${first.reason})`
      : asked.isNobodyThere
        ? `nobody answers ${about.question(about.answerer)}`
        : `${about.answerer} does not answer within ${deadline / 1000} s ${about.question("it")}`;
    if (first || !inPassing) report(why);
    return { answer: undefined, why };
  }

  return { ask, nothingToAsk: () => report() };
}
