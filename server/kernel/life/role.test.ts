import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { faults } from "./fault.ts";
import { roleChannel, subscribeRole } from "./role.ts";

const role = `shop:${crypto.randomUUID()}`;
const received: string[] = [];
const injected = faults();
const subscription = subscribeRole({ role, faults: injected }, () => received.push("wake"), { count: () => received.push("count") });
const channel = roleChannel(role);
beforeAll(subscription.start);
afterAll(async () => {
  channel.close();
  await subscription.stop();
});

test("a role gets wake-ups, and the messages that its system defines, by their names", async () => {
  channel.wake();
  channel.send("count");
  await until("both have arrived", 5000, () => received.length === 2);
  expect(received).toEqual(["wake", "count"]);
});

test("a fault reaches the role, and another role's messages do not", async () => {
  const other = roleChannel(`${role}-other`);
  other.failUsersWith("somebody");
  channel.failUsersWith("unlucky");
  await until("it has arrived", 5000, () => injected.failUsersWith !== "");
  expect([injected.strikes("unlucky-1"), injected.strikes("somebody")]).toEqual([true, false]);
  other.close();
});
