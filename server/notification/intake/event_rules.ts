import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { fromBinary } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { textFault } from "../../kernel/http/text.ts";

export type Headers = Readonly<Record<string, string>>;

/** `undecodable`: the bytes are not an event. `invalid`: a field breaks a rule. */
export type Decoded<Event> = { readonly event: Event } | { readonly cause: "undecodable" | "invalid"; readonly reason: string };

/** Decodes a message, or returns why it cannot be read. `arrivedAt`: when it arrived, in milliseconds; an event happens before that. */
export type Decode<Event> = (data: Uint8Array, headers: Headers, arrivedAt: number) => Decoded<Event>;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const messageIdPattern = /^([0-9a-f-]{36})(:r[1-9]\d{0,9})?$/;
const firstSecond = Date.UTC(2000, 0) / 1000;
const day = 86_400;
/** A few texts of 200 characters, the rest and the longest headers make less than 12 kB. */
const largestMessage = 65_536;

export const isUuid = (text: string): boolean => uuidPattern.test(text);

/** The message of this schema, if it is small enough and can be decoded. */
export function messageOf<Schema extends DescMessage>(schema: Schema, data: Uint8Array, headers: Headers): Decoded<MessageShape<Schema>> {
  const size = data.length + sizeOf(headers);
  if (size > largestMessage) return { cause: "invalid", reason: `the message has ${size} bytes; at most ${largestMessage} are allowed` };
  try {
    return { event: fromBinary(schema, data) };
  } catch (error) {
    return { cause: "undecodable", reason: `not ${/^[AEIOU]/.test(schema.name) ? "an" : "a"} ${schema.name}: ${(error as Error).message}` };
  }
}

const sizeOf = (headers: Headers) =>
  Object.entries(headers).reduce((size, [name, value]) => size + Buffer.byteLength(name) + Buffer.byteLength(value), 0);

/** The first fault, in the order of the checks. */
export function firstFault(faults: Iterable<string | undefined>): string | undefined {
  for (const fault of faults) if (fault !== undefined) return fault;
  return undefined;
}

export const faultOfUuid = (name: string, value: string): string | undefined => (isUuid(value) ? undefined : `${name} is not a UUID`);

/** Texts by the rules of the API. */
export function faultOfText(name: string, value: string): string | undefined {
  const fault = textFault(value);
  return fault && `${name} ${fault}`;
}

export const faultOfType = (known: ReadonlySet<string>, eventType: string): string | undefined =>
  known.has(eventType) ? undefined : `event_type ${JSON.stringify(eventType.slice(0, 100))} is not known`;

export function faultOfTime(name: string, time: Timestamp | undefined, arrivedAt: number): string | undefined {
  if (!time) return `${name} is missing`;
  const { seconds, nanos } = time;
  if (nanos < 0 || nanos > 999_999_999) return `${name} is out of range: it has ${nanos} nanoseconds, and must have 0 to 999999999`;
  const latest = Math.floor(arrivedAt / 1000) + day;
  if (seconds < BigInt(firstSecond) || seconds > BigInt(latest))
    return `${name} is out of range: it must be from the year 2000 to a day after the message came (seconds ${firstSecond} to ${latest}, not ${seconds})`;
  return undefined;
}

/** The headers that repeat fields of every event, and are used without it. They must agree with it. `id`: the name and value of its identity. */
export function disagreementOf(headers: Headers, [name, id]: readonly [string, string], eventType: string): string | undefined {
  if (messageIdPattern.exec(headers["Nats-Msg-Id"] ?? "")?.[1] !== id)
    return `the header Nats-Msg-Id must be the ${name}, or the ${name} with :r<n>`;
  if (headers.event_type !== eventType) return "the header event_type must be the event_type of the event";
  return undefined;
}

/** RFC 3339 with microseconds. */
export const isoOf = ({ seconds, nanos }: Timestamp): string =>
  `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z`;

/** The id of the event in a message id: `<id>` or `<id>:r<n>`. */
export function eventIdOf(messageId: string | undefined): string | null {
  const id = messageId?.split(":")[0] ?? "";
  return isUuid(id) ? id : null;
}
