import { expect, test } from "bun:test";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { countByCode } from "./code_labels.ts";
import { ownCodes } from "./reason_codes.ts";

test("a broker that makes up codes makes at most 50 labels; the rest is OTHER, and Kenri's own codes are always named", async () => {
  const counter = createMetrics().counter("test_total", "A test.", ["code"]);
  const counted = countByCode(counter);
  for (let n = 0; n < 200; n++) counted.inc({ code: `CODE_${n}` });
  for (const code of ownCodes) counted.inc({ code });
  for (let n = 0; n < 200; n++) counted.inc({ code: `CODE_${n}` });
  const values = new Map((await counter.get()).values.map(({ labels, value }) => [labels.code, value]));
  expect(values.size).toBe(50 + 1 + ownCodes.length);
  expect([values.get("CODE_0"), values.get("CODE_49"), values.get("CODE_50"), values.get("OTHER"), values.get("CANCELLED")]).toEqual([
    2,
    2,
    undefined,
    300,
    1,
  ]);
});
