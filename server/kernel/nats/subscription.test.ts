import { afterAll, beforeAll, expect, test } from "bun:test";
import { jetstream } from "@nats-io/jetstream";
import { headers } from "@nats-io/nats-core";
import { until } from "../../../stack/wait.ts";
import { testNats } from "../../testing/kenri.ts";
import { natsAccessWith } from "../../testing/nats.ts";
import { privateServers } from "../../testing/servers.ts";
import { createHealth } from "../life/health.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { type Broker, createBroker } from "./broker.ts";
import { type PulledMessage, pullBatch } from "./pull.ts";
import { ensureConsumer, ensureStream, manager } from "./streams.ts";
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

test("a new pull follows one that the server has ended", async () => {
  const seen: string[] = [];
  const intake = subscription({
    broker,
    consumer: { stream: name, durable: "reader", ackWait: 2000, maxAckPending: 100 },
    batch: 10,
    handle: async batch => {
      seen.push(...batch.map(({ data }) => new TextDecoder().decode(data)));
      return batch.map(() => "consumed" as const);
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

test("a paused subscription handles what has arrived and pulls nothing: the rest stays in the stream, and a resume goes on at once", async () => {
  const subject = `${name}-paused`;
  const nats = broker.connection();
  await ensureStream(nats, { name: subject, subject, maxAge: 60_000, duplicateWindow: 1000, replicas: 1 });
  const consumer = { stream: subject, durable: "paused", ackWait: 2000, maxAckPending: 100 };
  const seen: string[] = [];
  const deliveries: number[] = [];
  let isPaused = false;
  const intake = subscription({
    broker,
    consumer,
    batch: 10,
    isPaused: () => isPaused,
    handle: async batch => {
      seen.push(...batch.map(({ data }) => new TextDecoder().decode(data)));
      deliveries.push(...batch.map(one => one.deliveries));
      return batch.map(() => "consumed" as const);
    },
    log: silentLog,
    metrics,
  });
  await intake.start();
  await jetstream(nats).publish(subject, "before");
  await until("it reads", 10_000, () => seen.includes("before"));
  isPaused = true;
  intake.pauseChanged();
  const info = async () => (await manager(nats)).consumers.info(subject, consumer.durable);
  // Its pull has ended, so nobody waits for the next message.
  await until("it pulls nothing", 10_000, async () => (await info()).num_waiting === 0);
  for (let n = 0; n < 5; n++) await jetstream(nats).publish(subject, `${n}`);
  const { num_pending, num_ack_pending, num_redelivered } = await info();
  expect({ seen, num_pending, num_ack_pending, num_redelivered }).toEqual({
    seen: ["before"],
    num_pending: 5,
    num_ack_pending: 0,
    num_redelivered: 0,
  });
  isPaused = false;
  intake.pauseChanged();
  await until("the rest is handled", 500, () => seen.length === 6);
  expect([seen.slice(1), new Set(deliveries)]).toEqual([["0", "1", "2", "3", "4"], new Set([1])]);
  await intake.stop();
  await (await manager(nats)).streams.delete(subject);
});

test("messages of other keys are handled while a run of a busy key is under way, also if they come later", async () => {
  const subject = `${name}-run`;
  const nats = broker.connection();
  await ensureStream(nats, { name: subject, subject, maxAge: 60_000, duplicateWindow: 1000, replicas: 1 });
  const send = async (key: string, count: number) => {
    const sent = headers();
    sent.set("aggregate_key", key);
    for (let n = 0; n < count; n++) await jetstream(nats).publish(subject, `${key} ${n}`, { headers: sent });
  };
  await send("hot", 10);
  const begun: string[] = [];
  const done: string[] = [];
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const intake = subscription({
    broker,
    consumer: { stream: subject, durable: "busy", ackWait: 60_000, maxAckPending: 100 },
    batch: 20,
    handle: async batch => {
      const texts = batch.map(({ data }) => new TextDecoder().decode(data));
      begun.push(...texts);
      if (texts[0]!.startsWith("hot")) await stopped;
      done.push(...texts);
      return batch.map(() => "consumed" as const);
    },
    log: silentLog,
    metrics,
  });
  await intake.start();
  await until("the busy key is under way", 10_000, () => begun.length > 0);
  await send("other", 3);
  await until("the others are handled", 10_000, () => done.length === 3);
  expect(done).toEqual(["other 0", "other 1", "other 2"]);
  stop();
  await until("all are handled", 10_000, () => done.length === 13);
  expect(done.slice(3)).toEqual(Array.from({ length: 10 }, (_, n) => `hot ${n}`));
  await intake.stop();
  await (await manager(nats)).streams.delete(subject);
});

test("the messages that a consumer has left are measured", async () => {
  const subject = `${name}-left`;
  const nats = broker.connection();
  await ensureStream(nats, { name: subject, subject, maxAge: 60_000, duplicateWindow: 1000, replicas: 1 });
  for (let n = 0; n < 5; n++) await jetstream(nats).publish(subject, `${n}`);
  const measured = createMetrics();
  const consumer = { stream: subject, durable: "slow", ackWait: 60_000, maxAckPending: 100 };
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const handle = (batch: readonly unknown[]) => stopped.then(() => batch.map(() => "consumed" as const));
  const intake = subscription({ broker, consumer, batch: 2, handle, log: silentLog, metrics: measured });
  await intake.start();
  const left = async () => (await measured.consumerMessages.get()).values.map(({ labels, value }) => `${labels.state} ${value}`);
  await until("two are being handled, three wait", 10_000, async () => (await left()).join() === "pending 3,unacknowledged 2");
  stop();
  await until("none is left", 10_000, async () => (await left()).join() === "pending 0,unacknowledged 0");
  await intake.stop();
  await (await manager(nats)).streams.delete(subject);
});

test("a pull that is ended early loses no message that the server has already sent", async () => {
  const nats = broker.connection();
  const durable = "drained";
  await ensureConsumer(nats, { stream: name, durable, ackWait: 60_000, maxAckPending: 1000 });
  const sent = 300;
  const seen = new Set<number>();
  const options = { stream: name, durable, batch: 500, expires: 5000, inboxPrefix: broker.inboxPrefix };
  const pull = pullBatch(nats, options, message => {
    seen.add(message.seq);
    message.ack();
  });
  for (let n = 0; n < sent; n++) nats.publish(name, `${n}`);
  await until("some have come", 5000, () => seen.size > 0);
  await pull.drain();
  expect(await pull.ended).toBe(seen.size);
  await nats.flush();
  const { consumers } = await manager(nats);
  await until("every delivery is acknowledged", 5000, async () => (await consumers.info(name, durable)).num_ack_pending === 0);
  expect((await consumers.info(name, durable)).delivered.consumer_seq).toBe(seen.size);
});

test("a pull says how often and when a message was delivered, and answers that it is to come again", async () => {
  const nats = broker.connection();
  const durable = "again";
  await ensureConsumer(nats, { stream: name, durable, ackWait: 60_000, maxAckPending: 1000 });
  const { seq } = await jetstream(nats).publish(name, "once more");
  const deliveries: PulledMessage[] = [];
  const options = { stream: name, durable, batch: 1000, expires: 5000, inboxPrefix: broker.inboxPrefix };
  const pull = pullBatch(nats, options, message => {
    if (message.seq !== seq) return message.ack();
    deliveries.push(message);
    if (message.deliveries < 3) message.nak(message.deliveries === 1 ? undefined : 50);
    else message.term();
  });
  await until("it came three times", 5000, () => deliveries.length === 3);
  expect(deliveries.map(one => one.deliveries)).toEqual([1, 2, 3]);
  expect(Math.abs(Date.now() - deliveries[0]!.storedAt)).toBeLessThan(60_000);
  await pull.drain();
  expect(await pull.ended).toBeGreaterThan(2);
});

test("a pull ends when it expires, and fails if the server does not answer it", async () => {
  const nats = broker.connection();
  const options = { stream: name, batch: 1000, expires: 300, inboxPrefix: broker.inboxPrefix };
  const unanswered = expect(pullBatch(nats, { ...options, durable: "nobody" }, () => {}).ended).rejects.toThrow(
    "NATS did not end a pull in time",
  );
  await ensureConsumer(nats, { stream: name, durable: "short", ackWait: 60_000, maxAckPending: 1000 });
  const { ended } = pullBatch(nats, { ...options, durable: "short" }, message => message.ack());
  expect(await ended).toBeGreaterThan(0);
  await unanswered;
});

test("no pull is sent while NATS hangs: it would serve that to a closed connection; when it goes on, messages are handled at once", async () => {
  const servers = await privateServers("nats");
  const metrics = createMetrics();
  const own = createBroker({
    nats: natsAccessWith({ NATS_URL: servers.nats.url }),
    name: "t",
    log: silentLog,
    health: createHealth(),
    metrics,
  });
  let pulls = 0;
  // The connection as it is, with its pulls counted.
  const counted: Broker = {
    ...own,
    get epoch() {
      return own.epoch;
    },
    connection() {
      const nats = own.connection();
      return new Proxy(nats, {
        get(target, member) {
          if (member === "publish")
            return (subject: string, ...rest: [string, object]) => {
              if (subject.includes("MSG.NEXT")) pulls++;
              target.publish(subject, ...rest);
            };
          const value = Reflect.get(target, member);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
  };
  let handled = 0;
  const intake = subscription({
    broker: counted,
    consumer: { stream: name, durable: "reader", ackWait: 30_000, maxAckPending: 100 },
    batch: 10,
    handle: async batch => {
      handled += batch.length;
      return batch.map(() => "consumed" as const);
    },
    log: silentLog,
    metrics,
  });
  try {
    await own.start();
    await until("it is connected", 5000, () => own.connected());
    await ensureStream(own.connection(), { name, subject: name, maxAge: 60_000, duplicateWindow: 1000, replicas: 1 });
    await intake.start();
    await until("it pulls", 5000, () => pulls === 1);
    await own.connection().flush();
    servers.nats.pause();
    const since = performance.now();
    await until("the pull has long expired", 20_000, () => performance.now() - since > 9000);
    expect(pulls).toBe(1);
    servers.nats.resume();
    await jetstream(own.connection()).publish(name, "first");
    await until("it is handled", 5000, () => handled === 1);
  } finally {
    servers.nats.resume();
    await intake.stop();
    await own.stop();
    await servers.stop();
  }
});
