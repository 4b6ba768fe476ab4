import { type ConsumerMessages, type JsMsg, jetstream } from "@nats-io/jetstream";
import type { Subscription } from "@nats-io/nats-core";
import type { Broker } from "./broker.ts";
import { within } from "./deadline.ts";
import type { Log } from "./log.ts";
import { loop } from "./loop.ts";
import type { Metrics } from "./metrics.ts";
import { group, type Service, service } from "./service.ts";
import { type ConsumerSpec, ensureConsumer } from "./streams.ts";

/** A message as a handler sees it: it decides, the subscription answers the broker. */
export interface Received {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly streamSeq: number;
  readonly deliveries: number;
}

/** `taken`: stored, never again. `refused`: stored as unreadable, never again. */
export type Verdict = "taken" | "refused";

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

/** Reads a durable pull consumer in batches of what has arrived, without waiting for more. */
export function subscription({ broker, consumer, batch, handle, log, metrics }: SubscriptionOptions): Service {
  const arrived: { message: JsMsg; at: number }[] = [];
  let messages: ConsumerMessages | undefined;
  let consumingIn = 0;
  let tendAt = 0;
  let waiting = false;

  // Past this age the broker is about to deliver it to somebody else: leave it to them.
  const fresh = consumer.ackWait * 0.7;

  async function keepConsuming(): Promise<number> {
    if (!broker.connected() || (consumingIn === broker.epoch && performance.now() < tendAt)) return 0;
    const nats = broker.connection();
    const found = await ensureConsumer(nats, consumer);
    if (found === "no stream") {
      if (!waiting) log.info({ stream: consumer.stream }, "subscription.waiting_for_stream");
      waiting = true;
      return 0;
    }
    waiting = false;
    tendAt = performance.now() + tendEvery;
    if (messages && consumingIn === broker.epoch && found === "there") return 0;
    await closeOld();
    arrived.length = 0;
    const pull = await jetstream(nats, { timeout: 3000 }).consumers.get(consumer.stream, consumer.durable);
    consumingIn = broker.epoch;
    const current = await pull.consume({
      max_messages: Math.min(consumer.maxAckPending, batch * 2),
      // Short, because two heartbeats of half of it are how long a consumer that was made anew goes unnoticed.
      expires: 5000,
      callback: message => {
        arrived.push({ message, at: performance.now() });
        work.wake();
      },
    });
    messages = current;
    // It ends by itself, e.g. when the server refuses a pull. Then the next look starts anew.
    const ended = () => {
      if (messages === current) messages = undefined;
    };
    current.closed().then(ended, ended);
    return 0;
  }

  async function closeOld(): Promise<void> {
    const old = messages;
    messages = undefined;
    if (old) await within(goodbyeWithin, "NATS", old.close()).catch(() => {});
  }

  /** The client's close() forgets its inbox at once; what the broker has sent there already would wait for its next delivery. So drain it. */
  async function endPulling(): Promise<void> {
    const { sub } = (messages ?? {}) as { sub?: Subscription };
    if (sub && broker.connected()) await within(goodbyeWithin, "NATS", sub.drain()).catch(() => {});
    await closeOld();
  }

  async function takeBatch(): Promise<number> {
    while (arrived[0] && performance.now() - arrived[0].at > fresh) arrived.shift();
    const taken = arrived.slice(0, batch);
    if (taken.length === 0) return 0;
    const verdicts = await handle(taken.map(({ message }) => receive(message)));
    // A reconnect may have emptied the list meanwhile: take away exactly what was judged.
    const judged = new Set(taken);
    arrived.splice(0, arrived.length, ...arrived.filter(one => !judged.has(one)));
    for (const [index, { message }] of taken.entries()) verdicts[index] === "taken" ? message.ack() : message.term();
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
  broker.onConnect(() => keeper.wake());

  /** What has arrived is taken in too; if the database does not answer, it goes back. */
  async function takeRest(): Promise<void> {
    const takeAll = async () => {
      while (arrived.length > 0) await takeBatch();
    };
    try {
      await within(restWithin, "the database", takeAll());
    } catch (error) {
      const fields = { stream: consumer.stream, first_seq: arrived[0]?.message.seq, last_seq: arrived.at(-1)?.message.seq };
      log.warn({ error, count: arrived.length, ...fields }, "subscription.gives_back");
      for (const { message } of arrived.splice(0)) message.nak();
    }
    if (broker.connected()) await within(goodbyeWithin, "NATS", broker.connection().flush()).catch(() => {});
  }

  // Stopped in reverse: no more pulls, then the batch under way, then the rest.
  const rest = service({ start: async () => {}, stop: takeRest });
  const pulling = service({ start: async () => {}, stop: endPulling });
  return group([rest, work, pulling, keeper]);
}

const receive = (message: JsMsg): Received => ({
  subject: message.subject,
  data: message.data,
  headers: Object.fromEntries(message.headers?.keys().map(key => [key, message.headers?.get(key) ?? ""]) ?? []),
  streamSeq: message.seq,
  deliveries: message.info.deliveryCount,
});
