import { expect, test } from "bun:test";
import { createCircuit } from "./circuit.ts";

test("five failures in a row open it, and it says how the last one failed", () => {
  const circuit = createCircuit(() => 0);
  for (let n = 0; n < 4; n++) circuit.failed("bad gateway");
  expect(circuit.refuses()).toBeUndefined();
  circuit.failed("timeout");
  expect(circuit.refuses()).toBe("timeout");
});

test("one that works in between starts the count anew", () => {
  const circuit = createCircuit(() => 0);
  for (let n = 0; n < 20; n++) {
    circuit.failed("timeout");
    if (n % 4 === 3) circuit.worked();
  }
  expect(circuit.refuses()).toBeUndefined();
});

test("after a pause one call tries; if it works all may, if not none", () => {
  let now = 0;
  const circuit = createCircuit(() => now);
  for (let n = 0; n < 5; n++) circuit.failed("bad gateway");
  now += 1000;
  expect(circuit.refuses()).toBeUndefined();
  expect(circuit.refuses()).toBe("bad gateway");
  circuit.failed("bad gateway");
  expect(circuit.refuses()).toBe("bad gateway");
  now += 1000;
  expect(circuit.refuses()).toBeUndefined();
  circuit.worked();
  expect(circuit.refuses()).toBeUndefined();
  expect(circuit.refuses()).toBeUndefined();
});
