import { type Consumer, type ConsumerMessages, type JsMsg, jetstream } from "@nats-io/jetstream";
import type { Subscription } from "@nats-io/nats-core";
import { withTimeout } from "../life/deadline.ts";
import { loop } from "../life/loop.ts";
import { parallel, type Service, sequence, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Broker } from "./broker.ts";
import { type ConsumerSpec, ensureConsumer } from "./streams.ts";

/** A message as a handler sees it: it decides, the subscription answers the broker. */
export interface Received {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly streamSeq: number;
  readonly deliveries: number;
  /** In milliseconds, by the clock of this machine or of NATS, whichever is later: one that is behind makes nothing come from the future. */
  readonly arrivedAt: number;
}

/** `taken`: stored, never again. `refused`: stored as unreadable, never again. `later`: not stored; deliver it again after so many milliseconds. */
export type Verdict = "taken" | "refused" | { readonly later: number };

export interface SubscriptionOptions {
  readonly broker: Broker;
  readonly consumer: ConsumerSpec;
  readonly batch: number;
  /** Judges a batch after its commit. If it throws, nothing is answered and the batch is tried again. */
  readonly handle: (batch: readonly Received[]) => Promise<readonly Verdict[]>;
  readonly log: Log;
  readonly metrics: Metrics;
}

// A stream that is not there yet is looked for this often, one that is there is looked after this often.
const lookEvery = 200;
const tendEvery = 2000;
const goodbyeWithin = 1000;
const restWithin = 2000;
// Short, because two heartbeats of half of it are how long a consumer that was made anew goes unnoticed.
const pullFor = 5000;
const refusedWithin = 500;

/**
 * Reads a durable pull consumer in batches of what has arrived, without waiting for more. It asks for the next batch when the last one is taken: if two
 * consumers asked ahead, the broker would deal out neighbours one by one to both.
 */
export function subscription({ broker, consumer, batch, handle, log, metrics }: SubscriptionOptions): Service {
  const arrived: { message: JsMsg; at: number }[] = [];
  let pull: Consumer | undefined;
  let messages: ConsumerMessages | undefined;
  let consumingIn = 0;
  let readFrom: string | undefined;
  let tendAt = 0;
  let waiting = false;

  // Past this age the broker is about to deliver it to somebody else: leave it to them.
  const fresh = consumer.ackWait * 0.7;

  async function keepConsuming(): Promise<number> {
    if (!broker.connected() || (consumingIn === broker.epoch && performance.now() < tendAt)) return 0;
    const { epoch } = broker;
    const nats = broker.connection();
    const found = await ensureConsumer(nats, consumer);
    if (found === "no stream") {
      if (!waiting) log.info({ stream: consumer.stream }, "subscription.waiting_for_stream");
      waiting = true;
      return 0;
    }
    waiting = false;
    tendAt = performance.now() + tendEvery;
    if (pull && consumingIn === epoch && found === "there") return 0;
    const from = await jetstream(nats, { timeout: 3000 }).consumers.get(consumer.stream, consumer.durable);
    const { created } = await from.info(true);
    await endPulling();
    // In a consumer that was made anew other messages have the numbers of those that arrived before.
    if (created !== readFrom) arrived.length = 0;
    readFrom = created;
    consumingIn = epoch;
    pull = from;
    pulling.wake();
    return 0;
  }

  /** Asks for a batch, and takes what comes as it comes. */
  async function pullBatch(stopping: AbortSignal): Promise<number> {
    // After a reconnect the keeper looks at the consumer first.
    if (!pull || !broker.connected() || consumingIn !== broker.epoch || arrived.length > 0) return 0;
    const since = performance.now();
    let count = 0;
    messages = await pull.fetch({ max_messages: Math.min(consumer.maxAckPending, batch), expires: pullFor });
    if (stopping.aborted) void endPulling();
    for await (const message of messages) {
      arrived.push({ message, at: performance.now() });
      count++;
      work.wake();
    }
    // A pull that the server refused ends at once and without a message: then it rests before it asks again.
    return count === 0 && performance.now() - since < refusedWithin ? 0 : 1;
  }

  /** The client's close() forgets its inbox at once; what the broker has sent there already would wait for its next delivery. So drain it. */
  async function endPulling(): Promise<void> {
    const old = messages;
    messages = undefined;
    if (!old) return;
    const { sub } = old as { sub?: Subscription };
    if (sub && broker.connected()) await withTimeout(goodbyeWithin, "NATS", sub.drain()).catch(() => {});
    await withTimeout(goodbyeWithin, "NATS", old.close()).catch(() => {});
  }

  async function takeBatch(): Promise<number> {
    while (arrived[0] && performance.now() - arrived[0].at > fresh) arrived.shift();
    // What comes again comes late: earlier messages first, because later ones may wait for them.
    const taken = arrived.toSorted((a, b) => a.message.seq - b.message.seq).slice(0, batch);
    if (taken.length === 0) return 0;
    const verdicts = await handle(taken.map(({ message }) => receive(message)));
    // A reconnect may have emptied the list meanwhile: take away exactly what was judged.
    const judged = new Set(taken);
    arrived.splice(0, arrived.length, ...arrived.filter(one => !judged.has(one)));
    for (const [index, { message }] of taken.entries()) answer(message, verdicts[index]!);
    pulling.wake();
    return taken.length;
  }

  const keeper = loop({
    name: `${consumer.durable}.keeper`,
    runOnce: keepConsuming,
    full: Number.POSITIVE_INFINITY,
    interval: lookEvery,
    log,
    metrics,
  });
  const work = loop({ name: consumer.durable, runOnce: takeBatch, full: 1, interval: 1000, log, metrics });
  const pulling = loop({ name: `${consumer.durable}.pull`, runOnce: pullBatch, full: 1, interval: 1000, log, metrics });
  broker.onConnect(() => keeper.wake());

  /** What has arrived is taken in too; if the database does not answer, it goes back. */
  async function takeRest(): Promise<void> {
    const takeAll = async () => {
      while (arrived.length > 0) await takeBatch();
    };
    try {
      await withTimeout(restWithin, "the database", takeAll());
    } catch (error) {
      const fields = { stream: consumer.stream, first_seq: arrived[0]?.message.seq, last_seq: arrived.at(-1)?.message.seq };
      log.warn({ error, count: arrived.length, ...fields }, "subscription.gives_back");
      for (const { message } of arrived.splice(0)) message.nak();
    }
    if (broker.connected()) await withTimeout(goodbyeWithin, "NATS", broker.connection().flush()).catch(() => {});
  }

  // Stopped in reverse: no more pulls, then the batch under way, then the rest.
  const rest = service({ start: async () => {}, stop: takeRest });
  const ending = service({ start: async () => {}, stop: endPulling });
  return sequence([rest, work, parallel([pulling, ending]), keeper]);
}

function answer(message: JsMsg, verdict: Verdict): void {
  if (verdict === "taken") message.ack();
  else if (verdict === "refused") message.term();
  else message.nak(verdict.later);
}

const receive = (message: JsMsg): Received => ({
  subject: message.subject,
  data: message.data,
  headers: Object.fromEntries(message.headers?.keys().map(key => [key, message.headers?.get(key) ?? ""]) ?? []),
  streamSeq: message.seq,
  deliveries: message.info.deliveryCount,
  arrivedAt: Math.max(Date.now(), message.time.getTime()),
});
