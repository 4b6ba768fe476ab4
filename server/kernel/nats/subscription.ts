import { withTimeout } from "../life/deadline.ts";
import { loop } from "../life/loop.ts";
import { parallel, type Service, sequence, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Broker } from "./broker.ts";
import { createLanes, type Lane } from "./lanes.ts";
import { headersOf } from "./message_headers.ts";
import { type Pull, type PulledMessage, PullUnanswered, pullBatch } from "./pull.ts";
import { type ConsumerSpec, ensureConsumer, manager } from "./streams.ts";

/** A message as a handler gets it. The handler decides, the subscription answers the broker. */
export interface Received {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly streamSeq: number;
  readonly deliveries: number;
  /** In milliseconds, by the clock of this machine or of NATS, whichever is later. So no message comes from the future if one of them is slow. */
  readonly arrivedAt: number;
}

/** `consumed`: stored, never again. `refused`: stored as unreadable, never again. `later`: not stored; deliver it again after so many milliseconds. */
export type Verdict = "consumed" | "refused" | { readonly later: number };

export interface SubscriptionOptions {
  readonly broker: Broker;
  readonly consumer: ConsumerSpec;
  readonly batch: number;
  /** While it is paused nothing is pulled: new messages stay in the stream. Messages that have arrived are handled. */
  readonly isPaused?: () => boolean;
  /** Returns a verdict for each message, after its commit. If it throws, nothing is answered and the batch is tried again. */
  readonly handle: (batch: readonly Received[]) => Promise<readonly Verdict[]>;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Subscription extends Service {
  /** `isPaused` answers otherwise than before. */
  pauseChanged(): void;
}

// How often it looks for a stream that does not exist yet, and how often it checks the consumer of one that does. Usually the publisher makes the
// stream at its start. A stream that is still missing after many looks may belong to a system that does not run.
const lookEvery = 200;
const checkEvery = 2000;
const oftenLooks = 50;
// A message that arrives wakes the loop; this is the net.
const workEvery = 5000;
const goodbyeWithin = 1000;
const restWithin = 2000;
// Short: a pull of a consumer that was deleted meanwhile ends after this.
const pullFor = 5000;
const refusedWithin = 500;

/**
 * Reads a durable pull consumer. Handles the messages that have arrived as one batch, without waiting for more, and runs of a busy key as another batch
 * beside it. It asks for the next messages after the last ones were handled: if two processes asked ahead, the broker would send neighbouring messages
 * to both in turn.
 */
export function subscription({ broker, consumer, batch, isPaused = () => false, handle, log, metrics }: SubscriptionOptions): Subscription {
  const lanes = createLanes<Arrived>();
  let pull: Pull | undefined;
  let consumingIn = 0;
  let readFrom: string | undefined;
  let checkAt = 0;
  let looks = 0;
  let isDoubtful = false;

  // A message older than this is about to be delivered to another process, and is left to it.
  const fresh = consumer.ackWait * 0.7;
  const largestPull = Math.min(consumer.maxAckPending, batch);

  const isConsuming = () => consumingIn === broker.epoch;

  async function keepConsuming(): Promise<number> {
    if (!broker.connected() || (isConsuming() && performance.now() < checkAt)) return 0;
    const { epoch } = broker;
    const nats = broker.connection();
    const { consumer: found, pending, unacknowledged } = await ensureConsumer(nats, consumer);
    metrics.consumerMessages.set({ consumer: consumer.durable, state: "pending" }, pending);
    metrics.consumerMessages.set({ consumer: consumer.durable, state: "unacknowledged" }, unacknowledged);
    if (found === "no stream") {
      if (looks++ === 0) log.info({ stream: consumer.stream }, "subscription.waiting_for_stream");
      return 0;
    }
    looks = 0;
    checkAt = performance.now() + checkEvery;
    if (consumingIn === epoch && found === "there") return 0;
    const { created } = await (await manager(nats)).consumers.info(consumer.stream, consumer.durable);
    await endPull();
    // In a new consumer other messages may have the numbers of those that arrived before.
    if (created !== readFrom) lanes.empty();
    readFrom = created;
    consumingIn = epoch;
    pulling.wake();
    return 0;
  }

  /** Whether NATS answers on this connection. */
  const answers = () =>
    withTimeout(goodbyeWithin, "NATS", broker.connection().flush()).then(
      () => true,
      () => false,
    );

  /**
   * Asks for a batch. Each message is handled as soon as it has arrived. After a pull without an answer it waits until NATS answers: when a server
   * that hung goes on, it would still serve pulls from its buffer, and send messages to a connection that is closed by then.
   */
  async function pullOnce(stopping: AbortSignal): Promise<number> {
    if (isDoubtful && broker.connected() && !(await answers())) return 0;
    isDoubtful = false;
    // After a reconnect the consumer is checked first.
    if (isPaused() || !broker.connected() || consumingIn !== broker.epoch || lanes.size() > 0) return 0;
    const since = performance.now();
    const options = { ...consumer, batch: largestPull, expires: pullFor, inboxPrefix: broker.inboxPrefix };
    const current = pullBatch(broker.connection(), options, message => {
      lanes.add(arrivedNow(message));
      others.wake();
    });
    pull = current;
    if (stopping.aborted) void endPull();
    const count = await current.ended.catch(error => {
      // Not an error of this loop: after its backoff it would pull late when NATS is back.
      if (!(error instanceof PullUnanswered)) throw error;
      isDoubtful = true;
      return 0;
    });
    // A pull that ends at once and without a message is followed by a rest.
    return count === 0 && performance.now() - since < refusedWithin ? 0 : 1;
  }

  async function endPull(): Promise<void> {
    const current = pull;
    pull = undefined;
    if (broker.connected()) await current?.drain();
    current?.close();
  }

  /** A pull that waits for messages would go on with them. Those that are under way still arrive. */
  function pauseChanged(): void {
    if (isPaused()) void endPull();
    else pulling.wake();
  }

  async function handleNext(lane: Lane): Promise<number> {
    lanes.forgetBefore(performance.now() - fresh);
    const taken = lanes.take(lane, batch);
    if (lane === "others" && lanes.has("runs")) runs.wake();
    if (taken.length === 0) return 0;
    try {
      const verdicts = await handle(taken.map(({ received }) => received));
      lanes.handled(taken);
      for (const [index, { message }] of taken.entries()) answer(message, verdicts[index]!);
    } finally {
      lanes.release(taken);
    }
    others.wake();
    pulling.wake();
    return taken.length;
  }

  const keeper = loop({
    name: `${consumer.durable}.keeper`,
    runOnce: keepConsuming,
    full: Number.POSITIVE_INFINITY,
    interval: () => (isConsuming() || looks >= oftenLooks ? checkEvery : lookEvery),
    log,
    metrics,
  });
  const laneLoop = (lane: Lane, name: string) =>
    loop({ name, runOnce: () => handleNext(lane), full: 1, interval: workEvery, log, metrics });
  const others = laneLoop("others", consumer.durable);
  const runs = laneLoop("runs", `${consumer.durable}.runs`);
  const pulling = loop({ name: `${consumer.durable}.pull`, runOnce: pullOnce, full: 1, interval: 1000, log, metrics });
  broker.onConnect(() => keeper.wake());

  /** Handles the messages that have arrived. If the database does not answer, the broker gets them back. */
  async function takeRest(): Promise<void> {
    const takeAll = async () => {
      while (lanes.size() > 0) {
        const both = [handleNext("others"), handleNext("runs")];
        await Promise.all(both).finally(() => Promise.allSettled(both));
      }
    };
    try {
      await withTimeout(restWithin, "the database", takeAll());
    } catch (error) {
      const left = lanes.empty();
      const fields = { stream: consumer.stream, first_seq: left[0]?.seq, last_seq: left.at(-1)?.seq };
      log.warn({ error, count: left.length, ...fields }, "subscription.gives_back");
      for (const { message } of left) message.nak();
    }
    if (broker.connected()) await withTimeout(goodbyeWithin, "NATS", broker.connection().flush()).catch(() => {});
  }

  // Stopped in reverse: no more pulls, then the batch under way, then the messages that have arrived.
  const rest = service({ start: async () => {}, stop: takeRest });
  const ending = service({ start: async () => {}, stop: endPull });
  return { ...sequence([rest, parallel([others, runs]), parallel([pulling, ending]), keeper]), pauseChanged };
}

function answer(message: PulledMessage, verdict: Verdict): void {
  if (verdict === "consumed") message.ack();
  else if (verdict === "refused") message.term();
  else message.nak(verdict.later);
}

interface Arrived {
  readonly message: PulledMessage;
  readonly received: Received;
  readonly key: string;
  readonly seq: number;
  readonly at: number;
}

/** A message without an aggregate has no order. */
function arrivedNow(message: PulledMessage): Arrived {
  const received = receive(message);
  const { seq } = message;
  return { message, received, key: received.headers.aggregate_key ?? `seq ${seq}`, seq, at: performance.now() };
}

const receive = ({ message, seq, deliveries, storedAt }: PulledMessage): Received => ({
  subject: message.subject,
  data: message.data,
  headers: headersOf(message),
  streamSeq: seq,
  deliveries,
  arrivedAt: Math.max(Date.now(), storedAt),
});
