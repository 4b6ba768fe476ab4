import { expect, test } from "bun:test";
import type { Publishing } from "../../kernel/nats/publisher.ts";
import { createSuspects } from "./suspects.ts";

const outage = { outcome: "outage", error: "store failed (10077)" } as const;
const published = { outcome: "published", seq: 1, duplicate: false } as const;
const untried = { outcome: "untried" } as const;
const claim = (outcomes: Record<string, Publishing>) =>
  Object.entries(outcomes).map(([event_id, publishing]) => ({ row: { event_id }, publishing }));

test("an event that alone gets the error of an outage three times is at fault, even if it is the only one of its claim", () => {
  const suspects = createSuspects();
  expect(suspects.atFault(claim({ bad: outage, a: published, b: untried }))).toBeUndefined();
  expect(suspects.atFault(claim({ bad: outage }))).toBeUndefined();
  expect(suspects.atFault(claim({ c: published, bad: outage }))).toBe("bad");
  expect(suspects.atFault(claim({ bad: outage }))).toBe("bad");
});

test("in an outage of several events no event is at fault, however often it happens", () => {
  const suspects = createSuspects();
  for (let time = 0; time < 20; time++) expect(suspects.atFault(claim({ a: outage, b: outage, c: untried }))).toBeUndefined();
});

test("an event that was stored is no longer suspected", () => {
  const suspects = createSuspects();
  for (const outcome of [outage, outage, published, outage, outage]) expect(suspects.atFault(claim({ a: outcome }))).toBeUndefined();
});
