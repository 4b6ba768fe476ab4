import { jetstream } from "@nats-io/jetstream";
import { headers as natsHeaders } from "@nats-io/transport-node";
import { encodeMessage } from "../server/entitlement/event.ts";
import type { OutboxClaimRow } from "../server/entitlement/sql.gen.ts";
import type { EventMessage } from "../server/kernel/nats/publisher.ts";
import { ensureStream } from "../server/kernel/nats/streams.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { connectTo } from "../server/testing/nats.ts";
import type { Servers } from "./cpu.ts";
import { jobQueues } from "./job_queues.ts";
import { type Figure, mean, perSecond } from "./measure.ts";
import { type Drained, drainKenri, drainQueue } from "./relay_drain.ts";
import { fillOutbox } from "./rows.ts";

const count = 40_000;
const window = 500;
const rounds = 3;

/**
 * Events per second from the outbox to the stream, including claims and settling, compared with bare JetStream publishes of the same messages, and
 * with job queues whose jobs publish, in turns.
 */
export async function relay(kenri: TestKenri, servers: Servers): Promise<Figure[]> {
  await fillOutbox(kenri.entitlementSql, count, "PENDING");
  const raw = await rawPublish(kenri);
  const drains = new Map<string, () => Promise<Drained>>([
    ["500", () => drainKenri(kenri, servers, "500", count)],
    ["200", () => drainKenri(kenri, servers, "200", count)],
    ...Object.keys(jobQueues).map(name => [name, () => drainQueue(name, servers, count)] as const),
  ]);
  const drained = await inTurns(drains);
  const large = drained.get("500")!;
  const figure = (batch: string, goal: string): Figure => ({
    what: `relay, two lanes of ${batch}`,
    value: perSecond(drained.get(batch)!.rate),
    against: `bare JetStream publish, windows of ${window}: ${perSecond(raw)}`,
    ratio: drained.get(batch)!.rate / raw,
    goal,
  });
  return [figure("500", "≥ 0.6"), figure("200", ""), ...Object.keys(jobQueues).flatMap(name => beside(name, large, drained.get(name)!))];
}

/** The mean of each, in another order each round. */
async function inTurns(drains: ReadonlyMap<string, () => Promise<Drained>>): Promise<Map<string, Drained>> {
  const samples = new Map<string, Drained[]>([...drains.keys()].map(name => [name, []]));
  const names = [...drains.keys()];
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round) % names.length]!;
      const one = await drains.get(name)!();
      samples.get(name)!.push(one);
      console.error(`  ${name}: ${perSecond(one.rate)}, ${one.cpu.toFixed(0)} µs (${one.details})`);
    }
  const average = (some: readonly Drained[]) => ({
    rate: mean(some.map(one => one.rate)),
    cpu: mean(some.map(one => one.cpu)),
    details: "",
  });
  return new Map([...samples].map(([name, some]) => [name, average(some)]));
}

function beside(name: string, kenri: Drained, queue: Drained): Figure[] {
  const micro = (value: number) => `${value.toFixed(0)} µs`;
  const figure = (what: string, of: (one: Drained) => number, text: (value: number) => string): Figure => ({
    what: `relay, two lanes of 500: ${what}`,
    value: text(of(kenri)),
    against: `${name}, a job publishes: ${text(of(queue))}`,
    ratio: of(kenri) / of(queue),
    goal: "",
  });
  return [figure("events", one => one.rate, perSecond), figure("CPU time of an event", one => one.cpu, micro)];
}

/** The same messages, encoded before the measurement, with nothing but the publish. */
async function rawPublish(kenri: TestKenri): Promise<number> {
  const nats = await connectTo(kenri.environment.NATS_URL!);
  await ensureStream(nats, { name: "bench-raw", subject: "bench.raw", maxAge: 600_000, duplicateWindow: 120_000, replicas: 1 });
  const js = jetstream(nats);
  const messages = (await kenri.entitlementSql<OutboxClaimRow[]>`select * from outbox_events`).map(encodeMessage);
  const publish = ({ id, data, headers }: EventMessage) => {
    const all = natsHeaders();
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return js.publish("bench.raw", data, { msgID: id, headers: all });
  };
  const since = performance.now();
  for (let n = 0; n < count; n += window) await Promise.all(messages.slice(n, n + window).map(publish));
  const rate = (count * 1000) / (performance.now() - since);
  await nats.close();
  return rate;
}
