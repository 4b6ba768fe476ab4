import type { Broker } from "../kernel/broker.ts";
import type { Log } from "../kernel/log.ts";
import type { Metrics } from "../kernel/metrics.ts";
import { ensureStream, type StreamSpec } from "../kernel/streams.ts";
import type { EntitlementSql } from "./sql.gen.ts";

export interface StreamGuardOptions {
  readonly broker: Broker;
  readonly outbox: EntitlementSql["outbox"];
  readonly stream: StreamSpec;
  readonly log: Log;
  readonly metrics: Metrics;
}

const batch = 1000;

/**
 * Stands before every publish after a (re)connect: is this still the stream that took what we published? A wiped, cut or restored
 * store says nothing by itself. If it lost messages, everything unconfirmed is put back first, so that order is kept.
 */
export function streamGuard({ broker, outbox, stream, log, metrics }: StreamGuardOptions) {
  const resent = metrics.counter("outbox_lost_resent_total", "Events put back because the stream lost them.");
  const losses = metrics.counter("outbox_stream_losses_total", "Times the stream was found to have lost messages.");
  let checkedIn = 0;
  let checking: Promise<boolean> | undefined;
  let highestSeq = 0;

  async function check(): Promise<boolean> {
    const epoch = broker.epoch;
    const [recorded] = await outbox.stream({ stream: stream.name });
    const known = Math.max(recorded?.last_seq ?? 0, highestSeq);
    const { incarnation, lastSeq } = await ensureStream(broker.connection(), stream);
    const [seen] = await outbox.observe({ stream: stream.name, incarnation, last_seq: lastSeq, known_last_seq: known });
    if (seen?.lost) {
      losses.inc();
      highestSeq = lastSeq;
      log.warn({ stream: stream.name, known, lastSeq }, "outbox.stream_lost_messages");
    }
    await resendLost();
    checkedIn = epoch;
    return broker.epoch === epoch;
  }

  async function resendLost(): Promise<void> {
    const rows = await outbox.resend_lost({ stream: stream.name, limit: batch });
    resent.inc(rows.length);
    if (rows.length === batch) await resendLost();
  }

  const trusts = () => broker.connected() && checkedIn === broker.epoch;

  return {
    /** Whether it was looked at since the connection was made. */
    trusts,
    /** Whether the stream may be published to now; looks at it first if the connection is a new one. */
    async passes(): Promise<boolean> {
      if (!broker.connected()) return false;
      if (trusts()) return true;
      checking ??= check().finally(() => {
        checking = undefined;
      });
      return checking;
    },
    /** Looks again although the connection is the same one, e.g. because publishes find no stream. */
    distrust(): void {
      checkedIn = 0;
    },
    published(seq: number): void {
      highestSeq = Math.max(highestSeq, seq);
    },
  };
}

export type StreamGuard = ReturnType<typeof streamGuard>;
