import { expect, test } from "bun:test";
import { isGrowing } from "./lag.ts";

const every5s = (...pendings: number[]) => pendings.map((pending, index) => ({ at: index * 5000, pending }));

test.each([
  ["nothing is known", every5s(), false],
  ["one answer tells no trend", every5s(5000), false],
  ["it grew within seconds only", every5s(1000, 2000), false],
  ["it grows", every5s(1000, 1500, 2000, 2500), true],
  ["it is worked off", every5s(5000, 4000, 3000), false],
  ["it is high and stays", every5s(5000, 5000, 5000, 5000), false],
  ["it was higher a moment ago", every5s(1000, 9000, 2000, 3000), false],
])("%s", (_, samples, grows) => expect(isGrowing(samples)).toBe(grows));
