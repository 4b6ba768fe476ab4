import { expect, test } from "bun:test";
import { pauseCosts, roleWords } from "./paused_roles.ts";

test("whoever pauses reads that the objectives go on counting, and when a paused relay pages", () => {
  expect(pauseCosts("orders:sender")).toBe("The objectives go on counting, so a long pause uses up error budget and can page somebody.");
  expect(pauseCosts("entitlement:relay")).toEndWith("can page somebody, after about 45 minutes if events wait.");
  expect(roleWords("entitlement:relay")).toBe("relay of entitlement");
});
