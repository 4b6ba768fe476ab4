import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { natsAccessWith } from "../../testing/nats.ts";
import { privateServers } from "../../testing/servers.ts";
import { createHealth } from "../life/health.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { type Broker, createBroker } from "./broker.ts";

let servers: Awaited<ReturnType<typeof privateServers<"nats">>>;
const open: Broker[] = [];
beforeAll(async () => {
  servers = await privateServers("nats");
});
afterAll(async () => {
  await Promise.all(open.map(one => one.stop()));
  await servers.stop();
});

function brokerWith(listeners: { connect?: (() => void)[]; disconnect?: (() => void)[] }) {
  const health = createHealth();
  const broker = createBroker({
    nats: natsAccessWith({ NATS_URL: servers.nats.url }),
    name: "test",
    log: silentLog,
    health,
    metrics: createMetrics(),
  });
  for (const listener of listeners.connect ?? []) broker.onConnect(listener);
  for (const listener of listeners.disconnect ?? []) broker.onDisconnect(listener);
  open.push(broker);
  return { broker, health };
}
const throwing = () => {
  throw new Error("a listener that throws");
};

test("a listener that throws keeps no other one from its call, and the broker goes on to follow its connection", async () => {
  const calls: string[] = [];
  const { broker, health } = brokerWith({
    connect: [throwing, () => calls.push("connected")],
    disconnect: [throwing, () => calls.push("disconnected")],
  });
  await broker.start();
  await until("it is connected", 5000, () => broker.connected());
  await until("the second listener is called", 1000, () => calls.length === 1);
  await servers.nats.halt();
  await until("it notices the loss", 10_000, () => !broker.connected());
  expect(health.troubles()).toEqual({ broker: "NATS is not connected" });
  await servers.nats.start();
  await until("it is connected again", 10_000, () => broker.connected());
  expect(calls).toEqual(["connected", "disconnected", "connected"]);
  expect(broker.epoch).toBe(2);
});

test("a connection that was closed is replaced by a new one", async () => {
  const { broker } = brokerWith({});
  await broker.start();
  await until("it is connected", 5000, () => broker.connected());
  const first = broker.connection();
  await first.close();
  await until("it has another connection", 5000, () => broker.connected() && broker.connection() !== first);
  expect(broker.epoch).toBe(2);
  await broker.connection().flush();
  expect(broker.connected()).toBe(true);
});
