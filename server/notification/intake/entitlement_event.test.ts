import { describe, expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { eventMessage, type Facts } from "../../testing/events.ts";
import { decodeEntitlementEvent } from "./entitlement_event.ts";
import { eventIdOf } from "./event_rules.ts";

const eventId = "01890000-0000-7000-8000-000000000000";
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const arrivedAt = Date.UTC(2026, 0, 1, 12);
const time = (seconds: bigint, nanos = 0) => create(TimestampSchema, { seconds, nanos });
const made = (facts: Facts = {}) =>
  eventMessage({
    eventId,
    occurredAt: time(1_767_225_600n, 123_456_000),
    userId: "alice",
    stockKeepingUnit: "item1",
    version: 3n,
    ...facts,
  });
const decode = (facts: Facts = {}, more: Record<string, string> = {}) => {
  const { data, headers } = made(facts);
  return decodeEntitlementEvent(data, { ...headers, ...more }, arrivedAt);
};
const reasonOf = (decoded: ReturnType<typeof decodeEntitlementEvent>) => ("reason" in decoded ? decoded.reason : decoded.event);

test("an event is read with all its facts, to the microsecond, and its trace goes on", () => {
  const decoded = decode({}, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  if ("reason" in decoded) throw new Error(decoded.reason);
  expect(decoded.event).toMatchObject({
    eventId,
    eventType: "EntitlementGranted",
    aggregateKey: "alice:item1",
    version: 3,
    userId: "alice",
    payload: {
      user_id: "alice",
      stock_keeping_unit: "item1",
      source: "purchase",
      source_id: "p_1",
      version: 3,
      occurred_at: "2026-01-01T00:00:00.123456Z",
      trace_id: traceId,
    },
  });
  expect(decoded.event.traceparent).toStartWith(`00-${traceId}-`);
});

test("without a readable header the trace goes on from the event itself", () => {
  for (const headers of [{}, { traceparent: "" }, { traceparent: "garbage" }] as Record<string, string>[]) {
    const decoded = decode({}, headers);
    expect("event" in decoded && decoded.event.traceparent.split("-")[1]).toBe(traceId);
  }
});

describe("a value that the API allows is read", () => {
  const allowed: [what: string, facts: Facts][] = [
    [
      "200 characters, however many bytes they have",
      { userId: "𝄞".repeat(200), stockKeepingUnit: "é".repeat(200), sourceId: "x".repeat(200) },
    ],
    ["a user id with a colon", { userId: "a:b:c" }],
    ["ids from before there were stricter rules for them", { userId: " a/../b\u200b", stockKeepingUnit: ".." }],
    ["the highest version", { version: 1_000_000_000n }],
    ["no trace", { traceId: "" }],
    ["a time that is a little ahead of the clock here", { occurredAt: time(BigInt(arrivedAt / 1000 + 86_400), 999_999_999) }],
    ["a revoke", { eventType: "EntitlementRevoked" }],
  ];
  test.each(allowed)("%s", (_, facts) => expect(decode(facts)).toHaveProperty("event"));

  test("an event that was published again", () => {
    for (const id of [eventId, `${eventId}:r1`, `${eventId}:r12`]) expect(decode({}, { "Nats-Msg-Id": id })).toHaveProperty("event");
  });
});

describe("bytes that are not an event are refused with the reason", () => {
  const { data } = made();
  const cases: [name: string, data: Uint8Array, reason: string | RegExp][] = [
    ["nothing", new Uint8Array(), "event_id is not a UUID"],
    ["JSON", new TextEncoder().encode('{"event_id":"x"}'), /^not an EntitlementEvent|is not a UUID$/],
    ["noise", new Uint8Array(1000).fill(255), /^not an EntitlementEvent/],
    ["half a message", data.slice(0, 20), /^not an EntitlementEvent/],
  ];
  test.each(cases)("%s", (_, bytes, reason) => {
    if (typeof reason === "string") expect(reasonOf(decodeEntitlementEvent(bytes, {}, arrivedAt))).toBe(reason);
    else expect(reasonOf(decodeEntitlementEvent(bytes, {}, arrivedAt))).toMatch(reason);
  });
});

describe("a field that breaks a rule is named with the rule", () => {
  const text = "must be 1 to 200 characters, not blank, valid Unicode without U+0000";
  const version = "is out of range: it must be 1 to 1000000000";
  const trace = "trace_id must be 32 lower-case hexadecimal digits, not all 0, or empty";
  const cases: [name: string, facts: Facts, reason: string | RegExp][] = [
    ["another id", { eventId: "1" }, "event_id is not a UUID"],
    ["another type", { eventType: "EntitlementLost" }, 'event_type "EntitlementLost" is not known'],
    ["nobody", { userId: "" }, `user_id ${text}`],
    ["a blank user", { userId: " \t" }, `user_id ${text}`],
    ["a user of 201 characters", { userId: "x".repeat(201) }, `user_id ${text}`],
    ["U+0000 in the user", { userId: "a\0b" }, `user_id ${text}`],
    ["nothing owned", { stockKeepingUnit: "" }, `stock_keeping_unit ${text}`],
    ["an item of 201 characters", { stockKeepingUnit: "x".repeat(201) }, `stock_keeping_unit ${text}`],
    ["an item with a colon", { stockKeepingUnit: "a:b" }, "stock_keeping_unit must not contain ':'"],
    ["no source", { source: "" }, `source ${text}`],
    ["a source of 201 characters", { source: "x".repeat(201) }, `source ${text}`],
    ["U+0000 in the source", { source: "a\0b" }, `source ${text}`],
    ["no source id", { sourceId: "" }, `source_id ${text}`],
    ["a source id of 201 characters", { sourceId: "x".repeat(201) }, `source_id ${text}`],
    ["version 0", { version: 0n }, `version 0 ${version}`],
    ["version -1", { version: -1n }, `version -1 ${version}`],
    ["a huge version", { version: 1_000_000_001n }, `version 1000000001 ${version}`],
    ["version 2^53-1", { version: 2n ** 53n - 1n }, `version 9007199254740991 ${version}`],
    ["a short trace", { traceId: "abc" }, trace],
    ["a trace in upper case", { traceId: traceId.toUpperCase() }, trace],
    ["a trace of zeros", { traceId: "0".repeat(32) }, trace],
    ["no time", { occurredAt: undefined }, "occurred_at is missing"],
    ["a time beyond the calendar", { occurredAt: time(2n ** 60n) }, /^occurred_at is out of range: it must be from the year 2000/],
    ["a time before the year 2000", { occurredAt: time(946_684_799n) }, /^occurred_at is out of range/],
    ["a time more than a day ahead", { occurredAt: time(BigInt(arrivedAt / 1000 + 86_401)) }, /to a day after the message came/],
    ["too many nanoseconds", { occurredAt: time(1_767_225_600n, 1_000_000_000) }, /^occurred_at is out of range: it has 1000000000 nano/],
    ["nanoseconds below 0", { occurredAt: time(1_767_225_600n, -1) }, /^occurred_at is out of range: it has -1 nanoseconds/],
    ["900 kB", { source: "x".repeat(900_000) }, /^the message has 900\d+ bytes; at most 65536 are allowed$/],
  ];
  test.each(cases)("%s", (_, facts, reason) => {
    if (typeof reason === "string") expect(reasonOf(decode(facts))).toBe(reason);
    else expect(reasonOf(decode(facts))).toMatch(reason);
  });
});

describe("headers that disagree with the event are named", () => {
  const other = "4bf92f3577b34da6a3ce929d0e0e4737";
  const cases: [name: string, headers: Record<string, string>, reason: RegExp][] = [
    ["the message id of another event", { "Nats-Msg-Id": crypto.randomUUID() }, /^the header Nats-Msg-Id must be the event_id/],
    ["no message id", { "Nats-Msg-Id": "" }, /^the header Nats-Msg-Id must be/],
    ["another form of message id", { "Nats-Msg-Id": `${eventId} again` }, /^the header Nats-Msg-Id must be/],
    ["generation 0", { "Nats-Msg-Id": `${eventId}:r0` }, /^the header Nats-Msg-Id must be/],
    ["another type", { event_type: "EntitlementRevoked" }, /^the header event_type must be/],
    ["another pair", { aggregate_key: "bob:item1" }, /^the header aggregate_key must be/],
    ["another trace", { traceparent: `00-${other}-00f067aa0ba902b7-01` }, /^the header traceparent must go on/],
    ["much else", { "x-more": "x".repeat(70_000) }, /^the message has 7\d+ bytes/],
  ];
  test.each(cases)("%s", (_, headers, reason) => expect(reasonOf(decode({}, headers))).toMatch(reason));

  test("none at all", () =>
    expect(reasonOf(decodeEntitlementEvent(made().data, {}, arrivedAt))).toMatch(/^the header Nats-Msg-Id must be/));
});

test("a message id names its event, in every generation", () => {
  expect([eventIdOf(eventId), eventIdOf(`${eventId}:r3`)]).toEqual([eventId, eventId]);
  for (const other of [undefined, "", "1", `x${eventId}`, `:${eventId}`, eventId.slice(1)]) expect(eventIdOf(other)).toBeNull();
});
