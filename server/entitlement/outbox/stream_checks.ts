import type { Broker } from "../../kernel/nats/broker.ts";
import { ensureStream, type StreamSpec } from "../../kernel/nats/streams.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { EntitlementSql } from "../sql.gen.ts";

export interface StreamChecksOptions {
  readonly broker: Broker;
  readonly outbox: EntitlementSql["outbox"];
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
export function streamChecks({ broker, outbox, stream, requeued, log, metrics }: StreamChecksOptions) {
  const resent = metrics.counter("outbox_lost_resent_total", "Events requeued because the stream lost them.");
  const losses = metrics.counter("outbox_stream_losses_total", "Times the stream was found to have lost messages.");
  let invalidations = 0;
  let last: StreamCheck | undefined;
  let checking: Promise<boolean> | undefined;
  let highestSeq = 0;

  const current = () => (broker.connected() && last?.epoch === broker.epoch && last.invalidations === invalidations ? last : undefined);

  async function check(): Promise<boolean> {
    const begun = { epoch: broker.epoch, invalidations };
    const published = highestSeq;
    const [recorded] = await outbox.stream({ stream: stream.name });
    const { incarnation, lastSeq } = await ensureStream(broker.connection(), stream);
    // Another process may have recorded a loss since. Then its record counts, and the same loss is not found twice.
    const isKnown = last === undefined || (last.incarnation === incarnation && last.resendBefore === recorded?.resend_before);
    const known = Math.max(recorded?.last_seq ?? 0, isKnown ? published : 0);
    const [seen] = await outbox.observe({ stream: stream.name, incarnation, last_seq: lastSeq, known_last_seq: known });
    if (seen!.lost) {
      losses.inc();
      log.warn({ stream: stream.name, known, lastSeq }, "outbox.stream_lost_messages");
    }
    if (seen!.lost || !isKnown) highestSeq = lastSeq;
    await resendLost();
    last = { ...begun, incarnation, resendBefore: seen!.resend_before };
    return current() !== undefined;
  }

  async function resendLost(): Promise<void> {
    const rows = await outbox.resend_lost({ stream: stream.name, limit: batch });
    resent.inc(rows.length);
    requeued(rows.length);
    if (rows.length === batch) await resendLost();
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
