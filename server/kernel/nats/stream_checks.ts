import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Broker } from "./broker.ts";
import { ensureStream, type StreamSpec, type StreamState } from "./streams.ts";

/** Where a system keeps what it knows of its stream. */
export interface StreamRecord {
  /** The recorded state; undefined if there is none yet. */
  read(): Promise<{ readonly lastSeq: number; readonly resendBefore: string | null } | undefined>;
  /**
   * Records the state of the stream. `knownLastSeq` was read before the state, so that a parallel publish does not look like a loss. `lost`: the stream
   * lost messages since the last record.
   */
  observe(
    state: StreamState & { readonly knownLastSeq: number },
  ): Promise<{ readonly lost: boolean; readonly resendBefore: string | null }>;
  /** Requeues a batch of what the stream lost. Returns how many; a full batch means that there may be more. */
  resendLost(limit: number): Promise<number>;
}

export interface StreamChecksOptions {
  /** Metrics and lines of the log begin with it. */
  readonly name: string;
  readonly broker: Broker;
  readonly record: StreamRecord;
  readonly stream: StreamSpec;
  /** Called when events were requeued because the stream lost them. */
  readonly requeued: (count: number) => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

const batch = 1000;

/** The result of a check of the stream. Everything that the stream had lost by then is requeued. */
export interface StreamCheck {
  /** The connection it was made on. */
  readonly epoch: number;
  /** How many invalidations came before it. */
  readonly invalidations: number;
  readonly incarnation: string;
  readonly resendBefore: string | null;
}

/**
 * Checks the stream after every (re)connect, before the first publish: is it still the stream that stored what we published? The server does not
 * report a wiped, truncated or restored store. If the stream lost messages, all unconfirmed events are requeued first, so that order is kept.
 */
export function streamChecks({ name, broker, record, stream, requeued, log, metrics }: StreamChecksOptions) {
  const resent = metrics.counter(`${name}_lost_resent_total`, "Events requeued because the stream lost them.");
  const losses = metrics.counter(`${name}_stream_losses_total`, "Times the stream was found to have lost messages.");
  let invalidations = 0;
  let last: StreamCheck | undefined;
  let checking: Promise<boolean> | undefined;
  let highestSeq = 0;

  const current = () => (broker.connected() && last?.epoch === broker.epoch && last.invalidations === invalidations ? last : undefined);

  /** Called by whoever records the loss: a later check finds the record as new as the stream, and no loss. */
  function report(known: number, lastSeq: number): void {
    losses.inc();
    log.warn({ stream: stream.name, known, lastSeq }, `${name}.stream_lost_messages`);
  }

  async function check(): Promise<boolean> {
    const begun = { epoch: broker.epoch, invalidations };
    const published = highestSeq;
    const recorded = await record.read();
    const { incarnation, lastSeq } = await ensureStream(broker.connection(), stream);
    // Another process may have recorded a loss since. Then its record counts, and the same loss is not found twice.
    const isKnown = last === undefined || (last.incarnation === incarnation && last.resendBefore === recorded?.resendBefore);
    const known = Math.max(recorded?.lastSeq ?? 0, isKnown ? published : 0);
    const { lost, resendBefore } = await record.observe({ incarnation, lastSeq, knownLastSeq: known });
    if (lost) report(known, lastSeq);
    if (lost || !isKnown) highestSeq = lastSeq;
    await resendLost();
    last = { ...begun, incarnation, resendBefore };
    return current() !== undefined;
  }

  async function resendLost(): Promise<void> {
    const count = await record.resendLost(batch);
    resent.inc(count);
    requeued(count);
    if (count === batch) await resendLost();
  }

  return {
    /** The last check, a new object after each; undefined if the stream has to be checked first. */
    current,
    /** Whether the stream may be published to now. Checks it first if there is no valid check. */
    async passes(): Promise<boolean> {
      if (!broker.connected()) return false;
      if (current()) return true;
      checking ??= check().finally(() => {
        checking = undefined;
      });
      return checking;
    },
    /** Keeps the recorded end of the stream current, so that a truncated store is noticed here or at the next connection. */
    async note(): Promise<void> {
      const recorded = await record.read();
      const state = await ensureStream(broker.connection(), stream);
      const known = recorded?.lastSeq ?? 0;
      const { lost } = await record.observe({ ...state, knownLastSeq: known });
      if (!lost) return;
      report(known, state.lastSeq);
      invalidations++;
    },
    /** The stream has to be checked again although the connection is the same, for example because a publish found no stream. */
    invalidate(): void {
      invalidations++;
    },
    /** Notes the highest sequence of an acknowledged publish. */
    published(seq: number): void {
      highestSeq = Math.max(highestSeq, seq);
    },
  };
}

export type StreamChecks = ReturnType<typeof streamChecks>;
