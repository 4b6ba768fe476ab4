import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { JetStreamClient } from "@nats-io/jetstream";
import { headers as natsHeaders } from "@nats-io/transport-node";
import type postgres from "postgres";
import { EntitlementEventSchema } from "../../server/gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { statement } from "./statements.ts";

interface ClaimedEvent {
  readonly event_id: string;
  readonly event_type: string;
  readonly aggregate_key: string;
  readonly trace_id: string;
  readonly payload: {
    readonly user_id: string;
    readonly stock_keeping_unit: string;
    readonly source: string;
    readonly source_id: string;
    readonly version: number;
    readonly occurred_at: string;
  };
}

const batch = 50;
const worker = `relay-${process.pid}`;
const claimEvents = statement<ClaimedEvent>("claim_events");
const finalizeEvent = statement("finalize_event");
const retryEvent = statement("retry_event");

/** Claims a batch, then publishes and settles each event. Those of a batch do not wait for each other. */
export async function relayOnce(sql: postgres.Sql, js: JetStreamClient, subject: string): Promise<number> {
  const events = await claimEvents(sql, batch, worker);
  await Promise.all(events.map(event => relayEvent(sql, js, subject, event)));
  return events.length;
}

async function relayEvent(sql: postgres.Sql, js: JetStreamClient, subject: string, event: ClaimedEvent): Promise<void> {
  try {
    await js.publish(subject, encode(event), { msgID: event.event_id, headers: headersOf(event) });
  } catch (error) {
    await retryEvent(sql, event.event_id, worker, String(error));
    return;
  }
  await finalizeEvent(sql, event.event_id, worker);
}

function headersOf({ event_type, aggregate_key, trace_id, payload }: ClaimedEvent) {
  const headers = natsHeaders();
  for (const [name, value] of Object.entries({ event_type, aggregate_key, occurred_at: payload.occurred_at, trace_id }))
    headers.set(name, value);
  return headers;
}

const encode = ({ event_id, event_type, trace_id, payload }: ClaimedEvent) =>
  toBinary(
    EntitlementEventSchema,
    create(EntitlementEventSchema, {
      eventId: event_id,
      eventType: event_type,
      occurredAt: timestampFromDate(new Date(payload.occurred_at)),
      userId: payload.user_id,
      stockKeepingUnit: payload.stock_keeping_unit,
      source: payload.source,
      sourceId: payload.source_id,
      version: BigInt(payload.version),
      traceId: trace_id,
    }),
  );
