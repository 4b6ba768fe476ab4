import type { Broker } from "../../kernel/nats/broker.ts";
import { ensureStream, type StreamSpec } from "../../kernel/nats/streams.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { EntitlementSql } from "../sql.gen.ts";

export interface StreamChecksOptions {
  readonly broker: Broker;
  readonly outbox: EntitlementSql["outbox"];
  readonly stream: StreamSpec;
  /** Called when events were put back because the stream lost them. */
  readonly putBack: (count: number) => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

const batch = 1000;

/** That the stream was looked at, and what it lost until then was put back. */
export interface StreamCheck {
  readonly epoch: number;
  readonly doubts: number;
  readonly incarnation: string;
  readonly resendBefore: string | null;
}

/**
 * Stands before every publish after a (re)connect: is this still the stream that took what we published? A wiped, cut or restored
 * store says nothing by itself. If it lost messages, everything unconfirmed is put back first, so that order is kept.
 */
export function streamChecks({ broker, outbox, stream, putBack, log, metrics }: StreamChecksOptions) {
  const resent = metrics.counter("outbox_lost_resent_total", "Events put back because the stream lost them.");
  const losses = metrics.counter("outbox_stream_losses_total", "Times the stream was found to have lost messages.");
  let doubts = 0;
  let last: StreamCheck | undefined;
  let checking: Promise<boolean> | undefined;
  let highestSeq = 0;

  const seal = () => (broker.connected() && last?.epoch === broker.epoch && last.doubts === doubts ? last : undefined);

  async function check(): Promise<boolean> {
    const begun = { epoch: broker.epoch, doubts };
    const published = highestSeq;
    const [recorded] = await outbox.stream({ stream: stream.name });
    const { incarnation, lastSeq } = await ensureStream(broker.connection(), stream);
    // What others have found out since counts from there: the same loss is not found twice.
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
    return seal() !== undefined;
  }

  async function resendLost(): Promise<void> {
    const rows = await outbox.resend_lost({ stream: stream.name, limit: batch });
    resent.inc(rows.length);
    putBack(rows.length);
    if (rows.length === batch) await resendLost();
  }

  return {
    /** Another one after each look at the stream; none while it has to be looked at. */
    seal,
    /** Whether the stream may be published to now; looks at it first if the connection is a new one. */
    async passes(): Promise<boolean> {
      if (!broker.connected()) return false;
      if (seal()) return true;
      checking ??= check().finally(() => {
        checking = undefined;
      });
      return checking;
    },
    /** Looks again although the connection is the same one, e.g. because publishes find no stream. */
    distrust(): void {
      doubts++;
    },
    published(seq: number): void {
      highestSeq = Math.max(highestSeq, seq);
    },
  };
}

export type StreamChecks = ReturnType<typeof streamChecks>;
