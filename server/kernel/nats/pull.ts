import { createInbox, type Msg, type NatsConnection, nanos } from "@nats-io/nats-core";
import { after, withTimeout } from "../life/deadline.ts";

export interface PullOptions {
  readonly stream: string;
  readonly durable: string;
  readonly batch: number;
  /** The server ends the pull after so many milliseconds. */
  readonly expires: number;
  readonly inboxPrefix: string;
}

/** The server neither completed nor ended a pull in time: it hangs, or the request was lost. */
export class PullUnanswered extends Error {
  constructor() {
    super("NATS did not end a pull in time");
  }
}

/** A request for a batch of messages of a durable consumer. */
export interface Pull {
  /** How many messages came. Resolves when the batch is complete, has expired or was ended here; rejects if the server refused it. */
  readonly ended: Promise<number>;
  /** Ends the pull early. Messages that the server has already sent still arrive before it resolves. */
  drain(): Promise<void>;
  /** Ends the pull at once. Messages under way are delivered again later. */
  close(): void;
}

// So much later than the server's own end of a pull nothing will come.
const grace = 500;
const drainWithin = 1000;
const [heartbeat, noMessages, requestTimeout] = [100, 404, 408];
const encoder = new TextEncoder();
const [acknowledged, terminated] = [encoder.encode("+ACK"), encoder.encode("+TERM")];

/**
 * Pulls a batch by the protocol of JetStream, and passes on each message as it arrives. The client's own pull cannot be ended early without the loss
 * of messages under way: its close() forgets the inbox at once, and those would wait for their next delivery. This one is drained.
 */
export function pullBatch(nats: NatsConnection, options: PullOptions, take: (message: PulledMessage) => void): Pull {
  const { stream, durable, batch, expires, inboxPrefix } = options;
  const inbox = createInbox(inboxPrefix);
  const { promise: ended, resolve, reject } = Promise.withResolvers<number>();
  let count = 0;
  let failure: Error | undefined;

  const subscription = nats.subscribe(inbox, {
    callback(error, message) {
      if (error) return close(error);
      if (message.subject === inbox) return onStatus(message);
      take(new PulledMessage(message));
      if (++count === batch) close();
    },
  });
  const stopClock = after(expires + grace, () => {
    failure = new PullUnanswered();
    void drain();
  });
  // Also when the connection is closed.
  void subscription.closed.then(() => close());

  function onStatus({ headers }: Msg): void {
    const code = headers?.code;
    if (code === heartbeat) return;
    close(code === noMessages || code === requestTimeout ? undefined : new Error(`NATS refused a pull: ${code} ${headers?.description}`));
  }

  function close(error = failure): void {
    stopClock();
    if (!subscription.isClosed()) subscription.unsubscribe();
    if (error) reject(error);
    else resolve(count);
  }

  async function drain(): Promise<void> {
    if (!subscription.isClosed()) await withTimeout(drainWithin, "NATS", subscription.drain()).catch(() => {});
    close();
  }

  try {
    const request = { batch, expires: nanos(expires) };
    nats.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, JSON.stringify(request), { reply: inbox });
  } catch (error) {
    close(error as Error);
  }
  return { ended, drain, close: () => close() };
}

/** A message with what its reply subject says of its delivery: `$JS.ACK.[two more.]stream.consumer.deliveries.stream seq.consumer seq.time.pending`. */
export class PulledMessage {
  readonly seq: number;
  readonly deliveries: number;
  /** When the stream stored it, in milliseconds. */
  readonly storedAt: number;

  constructor(readonly message: Msg) {
    const parts = message.reply?.split(".") ?? [];
    const first = parts.length === 9 ? 4 : 6;
    this.deliveries = Number(parts[first]);
    this.seq = Number(parts[first + 1]);
    this.storedAt = Number(parts[first + 3]) / 1e6;
  }

  ack(): void {
    this.message.respond(acknowledged);
  }
  /** Never deliver it again, although it was not acknowledged. */
  term(): void {
    this.message.respond(terminated);
  }
  /** Deliver it again, at once or after so many milliseconds. */
  nak(delay?: number): void {
    this.message.respond(!delay ? "-NAK" : `-NAK ${JSON.stringify({ delay: nanos(delay) })}`);
  }
}
