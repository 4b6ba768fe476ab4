import type { Msg, Subscription } from "@nats-io/nats-core";
import { type Service, service } from "../../kernel/life/service.ts";
import type { Broker } from "../../kernel/nats/broker.ts";
import type { Signatures } from "../../kernel/nats/signatures.ts";
import { answerSigned, formAsked } from "../../kernel/nats/signed_answers.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import { isLogged, repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import { isUuid } from "./event_rules.ts";

export interface ResponderOptions {
  readonly broker: Broker;
  readonly subject: string;
  readonly signatures: Signatures;
  readonly log: Log;
}

/** More ids in one question are refused. */
const maxAsked = 1000;

/** Whether it is a list of ids that may be asked for. */
export const isIds = (ids: unknown): ids is readonly string[] =>
  Array.isArray(ids) && ids.length <= maxAsked && ids.every(id => typeof id === "string" && isUuid(id));

/**
 * Answers the questions on a subject. If `answer` rejects, because the question has another form or the database does not answer, there is no answer
 * and a line in the log, and the relay asks again. `form`: the newest form of answer that the relay understands.
 */
export function responder(
  { broker, subject, signatures, log }: ResponderOptions,
  answer: (question: unknown, form: number) => Promise<unknown>,
): Service {
  let subscription: Subscription | undefined;
  const reply = async (question: Msg) => JSON.stringify(await answer(JSON.parse(question.string()), formAsked(question)));
  const listen = () => {
    if (subscription && !subscription.isClosed()) return;
    subscription = broker.connection().subscribe(subject, {
      queue: "notification",
      callback: (error, message) => {
        if (error) return;
        reply(message).then(
          text => answerSigned(message, subject, text, signatures),
          problem =>
            isLogged(problem) ||
            repeatsOf(log).write("warn", { subject, error: problem }, "responder.failed", { key: subject, burst: rowBurst }),
        );
      },
    });
  };
  broker.onConnect(listen);
  return service({ start: async () => {}, stop: async () => subscription?.unsubscribe() });
}
