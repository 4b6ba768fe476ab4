import { fromBinary } from "@bufbuild/protobuf";
import { type EntitlementEvent, EntitlementEventSchema } from "../gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { continueTrace, isReadableTrace } from "../kernel/trace.ts";

/** An event as notification keeps it. */
export interface IncomingEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly aggregateKey: string;
  readonly version: number;
  readonly userId: string;
  readonly payload: { [fact: string]: string | number };
  readonly traceparent: string;
}

export type Decoded = { readonly event: IncomingEvent } | { readonly reason: string };

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const firstDay = Date.UTC(2000, 0);
const lastDay = Date.UTC(10_000, 0);
const known = new Set(["EntitlementGranted", "EntitlementRevoked"]);

/** Reads a message, or says why it cannot be read. */
export function decodeEvent(data: Uint8Array, headers: Readonly<Record<string, string>>): Decoded {
  let event: EntitlementEvent;
  try {
    event = fromBinary(EntitlementEventSchema, data);
  } catch (error) {
    return { reason: `not an EntitlementEvent: ${(error as Error).message}` };
  }
  const reason = faultOf(event);
  if (reason) return { reason };
  const ofEvent = `00-${event.traceId}-0000000000000001-01`;
  return {
    event: {
      eventId: event.eventId,
      eventType: event.eventType,
      aggregateKey: `${event.userId}:${event.stockKeepingUnit}`,
      version: Number(event.version),
      userId: event.userId,
      payload: {
        user_id: event.userId,
        stock_keeping_unit: event.stockKeepingUnit,
        source: event.source,
        source_id: event.sourceId,
        version: Number(event.version),
        occurred_at: timeOf(event)!,
        trace_id: event.traceId,
      },
      traceparent: continueTrace(isReadableTrace(headers.traceparent) ? headers.traceparent : ofEvent).traceparent,
    },
  };
}

function faultOf(event: EntitlementEvent): string | undefined {
  if (!uuidPattern.test(event.eventId)) return "event_id is not a UUID";
  if (!known.has(event.eventType)) return `event_type ${JSON.stringify(event.eventType.slice(0, 100))} is not known`;
  if (!event.occurredAt) return "occurred_at is missing";
  if (timeOf(event) === undefined) return "occurred_at is out of range";
  if (!event.userId || !event.stockKeepingUnit) return "user_id or stock_keeping_unit is empty";
  if (event.version < 1n || event.version > BigInt(Number.MAX_SAFE_INTEGER)) return `version ${event.version} is out of range`;
  if ([event.userId, event.stockKeepingUnit, event.source, event.sourceId, event.traceId].some(text => text.includes("\0")))
    return "a text holds U+0000";
  return undefined;
}

function timeOf({ occurredAt }: EntitlementEvent): string | undefined {
  const seconds = new Date(Number(occurredAt!.seconds) * 1000);
  if (!(seconds.getTime() >= firstDay && seconds.getTime() < lastDay)) return undefined;
  return `${seconds.toISOString().slice(0, 19)}.${String(Math.floor(occurredAt!.nanos / 1000)).padStart(6, "0")}Z`;
}

/** The event that a message id stands for: `<event_id>` or `<event_id>:r<n>`. */
export function eventIdOf(messageId: string | undefined): string | null {
  const id = messageId?.split(":")[0] ?? "";
  return uuidPattern.test(id) ? id : null;
}
