import { expect, test } from "bun:test";
import { account } from "../account/system.ts";
import { entitlement } from "../entitlement/system.ts";
import type { System } from "../kernel/system/system.ts";
import { matchmaking } from "../matchmaking/system.ts";
import { notification } from "../notification/system.ts";
import { reachable } from "./services.ts";

const systems: readonly System[] = [entitlement, notification, account, matchmaking];
const named = (name: string, serves: System["serves"]): System => ({ ...account, name, serves });

test("the gateway reaches every system that serves people or operators, and no other", () => {
  const more = [...systems, named("toys", ["machines", "operators"]), named("worker", ["machines"])];
  expect(reachable(more) as unknown).toEqual({
    names: ["account", "entitlement", "matchmaking", "notification", "toys"],
    operated: ["account", "entitlement", "matchmaking", "notification", "toys"],
    withOperations: ["entitlement", "notification"],
  });
});

test("a system that the gateway calls by name must be declared", () => {
  expect(() => reachable([entitlement, notification])).toThrow("the gateway calls account, matchmaking, which no system declares");
});
