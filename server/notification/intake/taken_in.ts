import type { Subscription } from "@nats-io/nats-core";
import { type Service, service } from "../../kernel/life/service.ts";
import type { Broker } from "../../kernel/nats/broker.ts";
import type { Signatures } from "../../kernel/nats/signatures.ts";
import { answerSigned } from "../../kernel/nats/signed_answers.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { NotificationSql } from "../sql.gen.ts";

const maxAsked = 1000;
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Answers which of the asked events this database holds. If the database does not answer, nobody does, and the asker tries again. */
export function takenInResponder({
  broker,
  sql,
  subject,
  signatures,
  log,
}: {
  broker: Broker;
  sql: NotificationSql;
  subject: string;
  signatures: Signatures;
  log: Log;
}): Service {
  let subscription: Subscription | undefined;
  const listen = () => {
    if (subscription && !subscription.isClosed()) return;
    subscription = broker.connection().subscribe(subject, {
      queue: "notification",
      callback: (error, message) => {
        if (error) return;
        answer(message.string()).then(
          held => answerSigned(message, subject, JSON.stringify(held), signatures),
          problem => log.warn({ error: problem }, "taken_in.failed"),
        );
      },
    });
  };
  async function answer(asked: string): Promise<string[]> {
    const ids: unknown = JSON.parse(asked);
    if (!Array.isArray(ids) || ids.length > maxAsked || !ids.every(id => typeof id === "string" && uuidPattern.test(id)))
      throw new Error("asked for something that is not a list of event ids");
    return (await sql.taken_in({ event_id: ids })).map(row => row.event_id);
  }
  broker.onConnect(listen);
  return service({ start: async () => {}, stop: async () => subscription?.unsubscribe() });
}
