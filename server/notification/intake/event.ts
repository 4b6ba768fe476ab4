import { fromBinary } from "@bufbuild/protobuf";
import { type EntitlementEvent, EntitlementEventSchema } from "../../gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { textFault } from "../../kernel/http/text.ts";
import { continueTrace, isReadableTrace, traceIdOf } from "../../kernel/telemetry/trace.ts";

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

/** `undecodable`: the bytes are no event. `invalid`: a field breaks a rule. */
export type Decoded = { readonly event: IncomingEvent } | { readonly cause: "undecodable" | "invalid"; readonly reason: string };

type Headers = Readonly<Record<string, string>>;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const messageIdPattern = /^([0-9a-f-]{36})(:r[1-9]\d{0,9})?$/;
const known = new Set(["EntitlementGranted", "EntitlementRevoked"]);
const firstSecond = Date.UTC(2000, 0) / 1000;
const day = 86_400;
/** Four texts of 200 characters, the rest and the longest headers make less than 12 kB. */
const largestMessage = 65_536;
/**
 * A pair that changes every second comes here after 31 years. A version beyond it is nonsense, and would make every real event after it stale. Below it
 * any version is taken: after its database was restored, notification may rightly see one that is far ahead. The signature proves that it is real.
 */
const highestVersion = 1_000_000_000n;

/** Reads a message, or says why it cannot be read. `arrivedAt`: when it came, in milliseconds; an event happens before that. */
export function decodeEvent(data: Uint8Array, headers: Headers, arrivedAt: number): Decoded {
  const size = data.length + sizeOf(headers);
  if (size > largestMessage) return { cause: "invalid", reason: `the message has ${size} bytes; at most ${largestMessage} are allowed` };
  let event: EntitlementEvent;
  try {
    event = fromBinary(EntitlementEventSchema, data);
  } catch (error) {
    return { cause: "undecodable", reason: `not an EntitlementEvent: ${(error as Error).message}` };
  }
  const reason = faultOf(event, arrivedAt) ?? disagreementOf(event, headers);
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
        occurred_at: timeOf(event),
        trace_id: event.traceId,
      },
      traceparent: continueTrace(isReadableTrace(headers.traceparent) ? headers.traceparent : ofEvent).traceparent,
    },
  };
}

const sizeOf = (headers: Headers) =>
  Object.entries(headers).reduce((size, [name, value]) => size + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
const aggregateOf = ({ userId, stockKeepingUnit }: EntitlementEvent) => `${userId}:${stockKeepingUnit}`;

/** The rules of the API for what a change is made of, and those of the event itself. */
function faultOf(event: EntitlementEvent, arrivedAt: number): string | undefined {
  if (!uuidPattern.test(event.eventId)) return "event_id is not a UUID";
  if (!known.has(event.eventType)) return `event_type ${JSON.stringify(event.eventType.slice(0, 100))} is not known`;
  const texts = { user_id: event.userId, stock_keeping_unit: event.stockKeepingUnit, source: event.source, source_id: event.sourceId };
  for (const [name, value] of Object.entries(texts)) {
    const fault = textFault(value);
    if (fault) return `${name} ${fault}`;
  }
  if (event.stockKeepingUnit.includes(":")) return "stock_keeping_unit must not contain ':'";
  if (event.version < 1n || event.version > highestVersion)
    return `version ${event.version} is out of range: it must be 1 to ${highestVersion}`;
  if (event.traceId !== "" && !isReadableTrace(`00-${event.traceId}-0000000000000001-01`))
    return "trace_id must be 32 lower-case hexadecimal digits, not all 0, or empty";
  return faultOfTime(event, arrivedAt);
}

function faultOfTime({ occurredAt }: EntitlementEvent, arrivedAt: number): string | undefined {
  if (!occurredAt) return "occurred_at is missing";
  const { seconds, nanos } = occurredAt;
  if (nanos < 0 || nanos > 999_999_999) return `occurred_at is out of range: it has ${nanos} nanoseconds, and must have 0 to 999999999`;
  const latest = Math.floor(arrivedAt / 1000) + day;
  if (seconds < BigInt(firstSecond) || seconds > BigInt(latest))
    return `occurred_at is out of range: it must be from the year 2000 to a day after the message came (seconds ${firstSecond} to ${latest}, not ${seconds})`;
  return undefined;
}

/** What the message says of its event outside of it, and is used before the event is read or without it. */
function disagreementOf(event: EntitlementEvent, headers: Headers): string | undefined {
  const { "Nats-Msg-Id": id = "", event_type, aggregate_key, traceparent } = headers;
  if (messageIdPattern.exec(id)?.[1] !== event.eventId) return "the header Nats-Msg-Id must be the event_id, or the event_id with :r<n>";
  if (event_type !== event.eventType) return "the header event_type must be the event_type of the event";
  if (aggregate_key !== encodeURI(aggregateOf(event)))
    return "the header aggregate_key must be user_id:stock_keeping_unit of the event, URI-encoded";
  if (isReadableTrace(traceparent) && event.traceId !== "" && traceIdOf(traceparent!) !== event.traceId)
    return "the header traceparent must go on with the trace_id of the event";
  return undefined;
}

function timeOf({ occurredAt }: EntitlementEvent): string {
  const { seconds, nanos } = occurredAt!;
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z`;
}

/** The event that a message id stands for: `<event_id>` or `<event_id>:r<n>`. */
export function eventIdOf(messageId: string | undefined): string | null {
  const id = messageId?.split(":")[0] ?? "";
  return uuidPattern.test(id) ? id : null;
}
