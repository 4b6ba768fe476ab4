import { type EntitlementEvent, EntitlementEventSchema } from "../../gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { continueTrace, isReadableTrace, traceIdOf } from "../../kernel/telemetry/trace.ts";
import {
  type Decoded,
  disagreementOf,
  faultOfText,
  faultOfTime,
  faultOfType,
  faultOfUuid,
  firstFault,
  type Headers,
  isoOf,
  messageOf,
} from "./event_rules.ts";

/** An entitlement event as notification stores it. */
export interface IncomingEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly aggregateKey: string;
  readonly version: number;
  readonly userId: string;
  readonly payload: { [fact: string]: string | number };
  readonly traceparent: string;
}

const known = new Set(["EntitlementGranted", "EntitlementRevoked"]);
/**
 * A pair that changes every second reaches this after 31 years. A higher version cannot be real, and would make every later event stale. Any lower
 * version is allowed: after a restore of its database, notification may receive one that is far ahead. The signature proves that it is real.
 */
const highestVersion = 1_000_000_000n;

export function decodeEntitlementEvent(data: Uint8Array, headers: Headers, arrivedAt: number): Decoded<IncomingEvent> {
  const decoded = messageOf(EntitlementEventSchema, data, headers);
  if ("reason" in decoded) return decoded;
  const { event } = decoded;
  const reason = firstFault(faultsOf(event, arrivedAt)) ?? firstFault(disagreementsOf(event, headers));
  if (reason) return { cause: "invalid", reason };
  const ofEvent = `00-${event.traceId}-0000000000000001-01`;
  return {
    event: {
      eventId: event.eventId,
      eventType: event.eventType,
      aggregateKey: aggregateOf(event),
      version: Number(event.version),
      userId: event.userId,
      payload: {
        user_id: event.userId,
        stock_keeping_unit: event.stockKeepingUnit,
        source: event.source,
        source_id: event.sourceId,
        version: Number(event.version),
        occurred_at: isoOf(event.occurredAt!),
        trace_id: event.traceId,
      },
      traceparent: isReadableTrace(headers.traceparent) ? headers.traceparent! : continueTrace(ofEvent).traceparent,
    },
  };
}

const aggregateOf = ({ userId, stockKeepingUnit }: EntitlementEvent) => `${userId}:${stockKeepingUnit}`;

/** The rules of the API for the fields of a change, and those of the event itself. */
const faultsOf = (event: EntitlementEvent, arrivedAt: number): (string | undefined)[] => [
  faultOfUuid("event_id", event.eventId),
  faultOfType(known, event.eventType),
  faultOfText("user_id", event.userId),
  faultOfText("stock_keeping_unit", event.stockKeepingUnit),
  faultOfText("source", event.source),
  faultOfText("source_id", event.sourceId),
  event.stockKeepingUnit.includes(":") ? "stock_keeping_unit must not contain ':'" : undefined,
  event.version < 1n || event.version > highestVersion
    ? `version ${event.version} is out of range: it must be 1 to ${highestVersion}`
    : undefined,
  event.traceId !== "" && !isReadableTrace(`00-${event.traceId}-0000000000000001-01`)
    ? "trace_id must be 32 lower-case hexadecimal digits, not all 0, or empty"
    : undefined,
  faultOfTime("occurred_at", event.occurredAt, arrivedAt),
];

function disagreementsOf(event: EntitlementEvent, headers: Headers): (string | undefined)[] {
  const { aggregate_key, traceparent } = headers;
  return [
    disagreementOf(headers, ["event_id", event.eventId], event.eventType),
    aggregate_key !== encodeURI(aggregateOf(event))
      ? "the header aggregate_key must be user_id:stock_keeping_unit of the event, URI-encoded"
      : undefined,
    isReadableTrace(traceparent) && event.traceId !== "" && traceIdOf(traceparent!) !== event.traceId
      ? "the header traceparent must go on with the trace_id of the event"
      : undefined,
  ];
}
