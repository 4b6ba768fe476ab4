import { describe, expect, test } from "bun:test";
import { continueTrace, traceIdOf } from "./trace.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

describe("a trace", () => {
  test("that arrives is continued in a new span, with its flags", () => {
    for (const flags of ["00", "01", "ff"]) {
      const trace = continueTrace(`00-${traceId}-${spanId}-${flags}`);
      expect(trace.traceId).toBe(traceId);
      expect(trace.spanId).not.toBe(spanId);
      expect(trace.traceparent).toBe(`00-${traceId}-${trace.spanId}-${flags}`);
      expect(traceIdOf(trace.traceparent)).toBe(traceId);
    }
  });

  const broken: (string | null | undefined)[] = [
    null,
    undefined,
    "",
    "x",
    traceId,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}0-${spanId}-01`,
    `00-${traceId}-${spanId}-01-extra`,
    `00-${traceId}-${spanId}-01\n`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ];
  test.each(broken)("that cannot be read is begun anew: %j", given => {
    const trace = continueTrace(given);
    expect(trace.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(trace.traceId).not.toBe(traceId);
  });

  test("that begins is like no other", () => {
    expect(new Set(Array.from({ length: 1000 }, () => continueTrace(null).traceId)).size).toBe(1000);
  });
});
