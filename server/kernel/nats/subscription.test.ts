import { afterAll, beforeAll, expect, test } from "bun:test";
import { jetstream } from "@nats-io/jetstream";
import { headers } from "@nats-io/nats-core";
import { until } from "../../../stack/wait.ts";
import { testNats } from "../../testing/kenri.ts";
import { natsAccessWith } from "../../testing/nats.ts";
import { createHealth } from "../life/health.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { type Broker, createBroker } from "./broker.ts";
import { ensureStream, manager } from "./streams.ts";
import { subscription } from "./subscription.ts";

const name = `subscription-${crypto.randomUUID().slice(0, 8)}`;
const metrics = createMetrics();
let broker: Broker;
beforeAll(async () => {
  broker = createBroker({ nats: natsAccessWith({ NATS_URL: testNats() }), name: "test", log: silentLog, health: createHealth(), metrics });
  await broker.start();
  await until("it is connected", 5000, () => broker.connected());
  await ensureStream(broker.connection(), { name, subject: name, maxAge: 60_000, duplicateWindow: 1000, replicas: 1 });
});
afterAll(async () => {
  await (await manager(broker.connection())).streams.delete(name);
  await broker.stop();
});

test("pulling that the server has ended is started anew", async () => {
  const seen: string[] = [];
  const intake = subscription({
    broker,
    consumer: { stream: name, durable: "reader", ackWait: 2000, maxAckPending: 100 },
    batch: 10,
    handle: async batch => {
      seen.push(...batch.map(({ data }) => new TextDecoder().decode(data)));
      return batch.map(() => "taken" as const);
    },
    log: silentLog,
    metrics,
  });
  // Every pull tells where its messages go, and a status 400 that comes there ends the client's pulling for good.
  const places = new Set<string>();
  const nats = broker.connection();
  const watching = nats.subscribe(`$JS.API.CONSUMER.MSG.NEXT.${name}.reader`, { callback: (_, { reply }) => void places.add(reply!) });
  await intake.start();
  await jetstream(nats).publish(name, "first");
  await until("the first is handled", 5000, () => seen.includes("first"));
  expect(places.size).toBe(1);
  nats.publish([...places][0]!, "", { headers: headers(400, "Bad Request") });
  await nats.flush();
  await until("it pulls anew", 10_000, () => places.size > 1);
  await jetstream(nats).publish(name, "second");
  await until("the second is handled", 5000, () => seen.includes("second"));
  watching.unsubscribe();
  await intake.stop();
});
