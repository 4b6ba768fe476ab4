import { create, toBinary } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { EntitlementEventSchema } from "../gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { traceIdOf } from "../kernel/trace.ts";
import type { OutboxClaimRow } from "./sql.gen.ts";

const Facts = Type.Object({
  user_id: Type.String({ minLength: 1 }),
  stock_keeping_unit: Type.String({ minLength: 1 }),
  source: Type.String(),
  source_id: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  occurred_at: Type.String({ minLength: 20 }),
});
const facts = TypeCompiler.Compile(Facts);

/** The facts of an outbox row; undefined if they cannot be an event. */
export const factsOf = (row: Pick<OutboxClaimRow, "payload">): Static<typeof Facts> | undefined => (facts.Check(row.payload) ? row.payload : undefined);

/** Encodes an outbox row as the message that goes out; throws if its payload holds no event. */
export function encodeEvent(row: OutboxClaimRow): Uint8Array {
  const event = factsOf(row);
  if (!event) throw new Error(`the payload is not an event: ${facts.Errors(row.payload).First()?.path} ${facts.Errors(row.payload).First()?.message}`);
  return toBinary(
    EntitlementEventSchema,
    create(EntitlementEventSchema, {
      eventId: row.event_id,
      eventType: row.event_type,
      occurredAt: timestamp(event.occurred_at),
      userId: event.user_id,
      stockKeepingUnit: event.stock_keeping_unit,
      source: event.source,
      sourceId: event.source_id,
      version: BigInt(event.version),
      traceId: traceIdOf(row.traceparent),
    }),
  );
}

/** Exact to the microsecond, which a Date is not. */
function timestamp(iso: string): Timestamp {
  const match = /^(.{19})\.(\d{6})Z$/.exec(iso);
  if (!match) throw new Error("the payload's occurred_at is not a time");
  return create(TimestampSchema, { seconds: BigInt(Date.parse(`${match[1]}Z`) / 1000), nanos: Number(match[2]) * 1000 });
}
