import { create, fromBinary, ScalarType, toBinary, toJson } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { EntitlementEventSchema } from "../gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import type { EventMessage } from "../kernel/nats/publisher.ts";
import { traceIdOf } from "../kernel/telemetry/trace.ts";
import type { OutboxClaimRow } from "./sql.gen.ts";

/** The columns of an outbox row that go into its message. */
export type Announced = Pick<
  OutboxClaimRow,
  "event_id" | "event_type" | "aggregate_key" | "publish_generation" | "payload" | "traceparent"
>;

const Facts = Type.Object({
  user_id: Type.String({ minLength: 1 }),
  stock_keeping_unit: Type.String({ minLength: 1 }),
  source: Type.String(),
  source_id: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  occurred_at: Type.String({ minLength: 20 }),
});
type Facts = Static<typeof Facts>;
const facts = TypeCompiler.Compile(Facts);

/** Encodes an outbox row. Throws if its payload is not an event. */
export function encodeMessage(row: Announced): EventMessage {
  const { payload } = row;
  if (!facts.Check(payload)) {
    const wrong = facts.Errors(payload).First();
    throw new Error(`the payload is not an event: ${wrong?.path} ${wrong?.message.toLowerCase()}`);
  }
  return { id: messageId(row), userIds: [payload.user_id], data: encode(row, payload), headers: headersOf(row, payload) };
}

/** The stream acknowledges and drops a repeated id inside the duplicate window, so each generation has its own id. */
const messageId = ({ event_id, publish_generation }: Announced) =>
  publish_generation === 0 ? event_id : `${event_id}:r${publish_generation}`;

const encode = (row: Announced, event: Facts) =>
  toBinary(
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

const headersOf = (row: Announced, event: Facts) => ({
  event_type: row.event_type,
  aggregate_key: encodeURI(row.aggregate_key), // a header holds one line of ASCII
  occurred_at: event.occurred_at,
  trace_id: traceIdOf(row.traceparent),
  traceparent: row.traceparent,
});

/** Exact to the microsecond; a Date is not. */
function timestamp(iso: string): Timestamp {
  const match = /^(.{19})\.(\d{6})Z$/.exec(iso);
  const seconds = Date.parse(`${match?.[1]}Z`) / 1000;
  if (!match || Number.isNaN(seconds)) throw new Error("the payload is not an event: /occurred_at is not a time");
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos: Number(match[2]) * 1000 });
}

/** The fields of a message, as a consumer of the stream decodes them. */
export function fieldsOf(data: Uint8Array) {
  const values = toJson(EntitlementEventSchema, fromBinary(EntitlementEventSchema, data), {
    useProtoFieldName: true,
    alwaysEmitImplicit: true,
  });
  return EntitlementEventSchema.fields.map(field => ({
    number: field.number,
    name: field.name,
    type:
      field.fieldKind === "message"
        ? field.message.typeName
        : field.fieldKind === "scalar"
          ? ScalarType[field.scalar].toLowerCase()
          : field.fieldKind,
    value: (values as Record<string, unknown>)[field.name] ?? null,
  }));
}
