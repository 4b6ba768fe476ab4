import { describe, expect, test } from "bun:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type EntitlementEvent, EntitlementEventSchema } from "../gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { decodeEvent, eventIdOf } from "./event.ts";

const eventId = "01890000-0000-7000-8000-000000000000";
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const message = (fields: Partial<EntitlementEvent> = {}) =>
  toBinary(
    EntitlementEventSchema,
    create(EntitlementEventSchema, {
      eventId,
      eventType: "EntitlementGranted",
      occurredAt: create(TimestampSchema, { seconds: 1_767_225_600n, nanos: 123_456_000 }),
      userId: "alice",
      stockKeepingUnit: "item1",
      source: "purchase",
      sourceId: "p_1",
      version: 3n,
      traceId,
      ...fields,
    }),
  );
const reasonOf = (data: Uint8Array) => {
  const decoded = decodeEvent(data, {});
  return "reason" in decoded ? decoded.reason : decoded.event;
};

test("an event is read with all its facts, to the microsecond, and its trace goes on", () => {
  const decoded = decodeEvent(message(), { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
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
    const decoded = decodeEvent(message(), headers);
    expect("event" in decoded && decoded.event.traceparent.split("-")[1]).toBe(traceId);
  }
});

describe("what cannot be read says why", () => {
  const cases: [name: string, data: Uint8Array, reason: string | RegExp][] = [
    ["nothing", new Uint8Array(), "event_id is not a UUID"],
    ["JSON", new TextEncoder().encode('{"event_id":"x"}'), /^not an EntitlementEvent|is not a UUID$/],
    ["noise", new Uint8Array(1000).fill(255), /^not an EntitlementEvent/],
    ["half a message", message().slice(0, 20), /^not an EntitlementEvent/],
    ["another id", message({ eventId: "1" }), "event_id is not a UUID"],
    ["another type", message({ eventType: "EntitlementLost" }), 'event_type "EntitlementLost" is not known'],
    ["no time", message({ occurredAt: undefined }), "occurred_at is missing"],
    ["nobody", message({ userId: "" }), "user_id or stock_keeping_unit is empty"],
    ["nothing owned", message({ stockKeepingUnit: "" }), "user_id or stock_keeping_unit is empty"],
    ["version 0", message({ version: 0n }), "version 0 is out of range"],
    ["version -1", message({ version: -1n }), "version -1 is out of range"],
    ["a version beyond numbers", message({ version: 2n ** 53n }), /out of range$/],
    ["U+0000", message({ source: "a\0b" }), "a text holds U+0000"],
    ["a time beyond the calendar", message({ occurredAt: create(TimestampSchema, { seconds: 2n ** 60n }) }), /^occurred_at/],
  ];
  test.each(cases)("%s", (_, data, reason) => {
    if (typeof reason === "string") expect(reasonOf(data)).toBe(reason);
    else expect(reasonOf(data)).toMatch(reason);
  });
});

test("a message id names its event, in every generation", () => {
  expect([eventIdOf(eventId), eventIdOf(`${eventId}:r3`)]).toEqual([eventId, eventId]);
  for (const other of [undefined, "", "1", `x${eventId}`, `:${eventId}`, eventId.slice(1)]) expect(eventIdOf(other)).toBeNull();
});
