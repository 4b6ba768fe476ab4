import { fromBinary } from "@bufbuild/protobuf";
import type { ConsumerMessages, JetStreamClient, JsMsg } from "@nats-io/jetstream";
import type postgres from "postgres";
import { EntitlementEventSchema } from "../../server/gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { statement } from "./statements.ts";

/** Messages that are fetched ahead. */
const ahead = 200;
const markProcessed = statement("mark_processed");
const appendNotification = statement("append_notification");

export const subscribe = async (js: JetStreamClient, stream: string, durable: string): Promise<ConsumerMessages> =>
  (await js.consumers.get(stream, durable)).consume({ max_messages: ahead });

/** Stores each message in a transaction of its own. `lanes` are under way at once. */
export async function consume(sql: postgres.Sql, subscription: ConsumerMessages, lanes: number): Promise<never> {
  const messages = subscription[Symbol.asyncIterator]();
  const lane = async (): Promise<void> => {
    for (;;) {
      const { value, done } = await messages.next();
      if (done) throw new Error("the subscription ended");
      await take(sql, value);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  throw new Error("the lanes ended");
}

/** A message that cannot be stored is delivered again. */
async function take(sql: postgres.Sql, message: JsMsg): Promise<void> {
  try {
    const event = fromBinary(EntitlementEventSchema, message.data);
    await sql.begin(async transaction => {
      const [isNew] = await markProcessed(transaction, event.eventId);
      if (!isNew) return;
      const payload = { stock_keeping_unit: event.stockKeepingUnit, version: Number(event.version), trace_id: event.traceId };
      await appendNotification(transaction, Bun.randomUUIDv7(), event.eventId, event.userId, event.eventType, payload);
    });
    message.ack();
  } catch (error) {
    console.error(error);
    message.nak(1000);
  }
}
