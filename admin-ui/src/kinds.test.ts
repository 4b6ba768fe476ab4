import { expect, test } from "bun:test";
import { kinds, orderOf } from "./kinds.ts";

test.each(Object.values(kinds))("what is on its way is listed in turn, and the page says so: $name", kind => {
  const [waiting, held, done, failed] = kind.states.map(({ name }) => name);
  expect(orderOf(kind, { status: waiting })).toContain("Due first");
  expect(orderOf(kind, { status: held })).toContain("lease");
  for (const status of [done, failed, undefined]) expect(orderOf(kind, { status })).toBeUndefined();
  expect(orderOf(kind, { status: waiting, user_id: "alice" })).toBeUndefined();
});
