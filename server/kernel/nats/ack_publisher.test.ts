import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { testNats } from "../../testing/kenri.ts";
import { natsAccessWith } from "../../testing/nats.ts";
import { createHealth } from "../life/health.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { type Ack, ackPublisher } from "./ack_publisher.ts";
import { type Broker, createBroker } from "./broker.ts";
import { ensureStream, manager } from "./streams.ts";

const deadline = 1500;
const name = `acks-${crypto.randomUUID().slice(0, 8)}`;
const stream = { name, subject: name, maxAge: 60_000, duplicateWindow: 1000, replicas: 1 };
let broker: Broker;
let publish: ReturnType<typeof ackPublisher>;

async function newBroker(): Promise<Broker> {
  const fresh = createBroker({
    nats: natsAccessWith({ NATS_URL: testNats() }),
    name: "test",
    log: silentLog,
    health: createHealth(),
    metrics: createMetrics(),
  });
  await fresh.start();
  await until("it is connected", 5000, () => fresh.connected());
  return fresh;
}

beforeAll(async () => {
  broker = await newBroker();
  await ensureStream(broker.connection(), stream);
  publish = ackPublisher(broker, name, deadline);
});
afterAll(async () => {
  await (await manager(broker.connection())).streams.delete(name);
  await broker.stop();
});

const message = (size = 10) => ({ id: crypto.randomUUID(), data: new Uint8Array(size), headers: {} });

/** The answer, and whether it came before the deadline. */
async function answered(asked: Ack | Promise<Ack>): Promise<Ack> {
  const since = performance.now();
  const ack = await asked;
  expect(performance.now() - since).toBeLessThan(deadline);
  return ack;
}

describe("an acknowledged publish", () => {
  test("is stored, and a second one with the same id is a duplicate", async () => {
    const one = message();
    expect(await answered(publish(name, one))).toMatchObject({ kind: "stored", duplicate: false });
    expect(await answered(publish(name, one))).toMatchObject({ kind: "stored", duplicate: true });
  });

  test("of more than the server takes is refused because of the message, and the next one is stored", async () => {
    const { max_payload } = broker.connection().info!;
    expect(await answered(publish(name, message(max_payload + 1)))).toMatchObject({ kind: "refused" });
    expect(await answered(publish(name, message()))).toMatchObject({ kind: "stored" });
  });

  test("to a subject that no stream has is an outage", async () => {
    expect(await answered(publish(`${name}.nobody`, message()))).toEqual({ kind: "outage", error: "no stream takes the subject (503)" });
  });

  test("that another stream takes is an outage, and is not stored", async () => {
    const other = ackPublisher(broker, "another-stream", deadline);
    const before = await ensureStream(broker.connection(), stream);
    expect(await answered(other(name, message()))).toEqual({ kind: "outage", error: "expected stream does not match (10060)" });
    expect(await ensureStream(broker.connection(), stream)).toEqual(before);
  });

  test.each(["not JSON", "null", "{}", '"text"'])("that somebody else answers with %p is an outage", async answer => {
    const subject = `${name}.foreign`;
    const responder = broker.connection().subscribe(subject, { callback: (_, { reply }) => broker.connection().publish(reply!, answer) });
    expect(await answered(publish(subject, message()))).toEqual({ kind: "outage", error: "the answer is not one of JetStream" });
    responder.unsubscribe();
  });

  test("that nobody answers is silence at its deadline", async () => {
    const subject = `${name}.silent`;
    const silent = broker.connection().subscribe(subject, { callback: () => {} });
    const quick = ackPublisher(broker, name, 50);
    expect(await Promise.all([quick(subject, message()), quick(subject, message())])).toEqual([{ kind: "silence" }, { kind: "silence" }]);
    silent.unsubscribe();
  });

  test("on a connection that is about to end is lost, and the next connection is used like the first", async () => {
    const own = await newBroker();
    const publishes = ackPublisher(own, name, deadline);
    const ending = own.connection();
    const drained = ending.drain();
    expect(await answered(publishes(name, message()))).toEqual({ kind: "lost" });
    await drained;
    await until("there is another connection", 5000, () => own.connected() && own.connection() !== ending);
    expect(await answered(publishes(name, message()))).toMatchObject({ kind: "stored" });
    await own.stop();
  });
});
