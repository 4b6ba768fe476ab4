import { isRefused, storable } from "../kernel/database.ts";
import type { Faults } from "../kernel/fault.ts";
import type { FirstAttempts } from "../kernel/first_attempts.ts";
import type { Flow } from "../kernel/flow.ts";
import type { Log } from "../kernel/log.ts";
import type { Metrics } from "../kernel/metrics.ts";
import { isProbe } from "../kernel/store_probe.ts";
import type { Received, Verdict } from "../kernel/subscription.ts";
import { isReadableTrace, traceIdOf } from "../kernel/trace.ts";
import { decodeEvent, eventIdOf, type IncomingEvent } from "./event.ts";
import type { AcceptRow, NotificationSql, NotificationsClaimRow } from "./sql.gen.ts";

export interface ConsumerOptions {
  readonly sql: NotificationSql;
  readonly stream: string;
  readonly channel: string;
  readonly attempts: Pick<FirstAttempts<NotificationsClaimRow>, "write">;
  readonly faults: Faults;
  readonly flow: Flow;
  readonly log: Log;
  readonly metrics: Metrics;
}

type Read = { readonly message: Received; readonly event: IncomingEvent };
type Unreadable = { readonly message: Received; readonly reason: string };

/** Takes a batch in: decode, one statement for what can be read, one for what cannot; answered only after both have committed. */
export function consumer({ sql, stream, channel, attempts, faults, flow, log, metrics }: ConsumerOptions) {
  const events = metrics.counter("intake_events_total", "Messages from the stream, by what became of them.", ["outcome"]);

  return async function handle(batch: readonly Received[]): Promise<Verdict[]> {
    const probes = new Set(batch.filter(isProbe));
    events.inc({ outcome: "probe" }, probes.size);
    const read = batch.filter(message => !probes.has(message)).map(message => ({ message, ...decodeEvent(message.data, message.headers) }));
    const readable = read.filter((one): one is Read => "event" in one);
    const unreadable = read.filter((one): one is Unreadable => "reason" in one);
    faults.at("intake.before_commit");
    const refused = await acceptOrRefuse(readable);
    await bury([...unreadable, ...refused]);
    faults.at("intake.committed");
    const taken = new Set(readable.map(one => one.message));
    for (const { message } of refused) taken.delete(message);
    return batch.map(message => (taken.has(message) || probes.has(message) ? "taken" : "refused"));
  };

  /** What the database itself refuses must not keep the others out: if a batch fails, each is tried alone, and what fails alone is told why. */
  async function acceptOrRefuse(readable: readonly Read[]): Promise<Unreadable[]> {
    try {
      await accept(readable);
      return [];
    } catch (error) {
      if (!isRefused(error)) throw error;
      if (readable.length === 1) return [{ message: readable[0]!.message, reason: `cannot be stored: ${(error as Error).message}` }];
      const refused: Unreadable[] = [];
      for (const one of readable) refused.push(...(await acceptOrRefuse([one])));
      return refused;
    }
  }

  async function accept(readable: readonly Read[]): Promise<void> {
    if (readable.length === 0) return;
    await attempts.write(async claiming => {
      const rows = await sql.accept({ ...parametersOf(readable, channel), ...claiming });
      const stale = rows.filter(row => row.stale).length;
      events.inc({ outcome: "accepted" }, rows.length - stale);
      events.inc({ outcome: "stale" }, stale);
      events.inc({ outcome: "duplicate" }, readable.length - rows.length);
      const eventOf = new Map(readable.map(({ event }) => [event.eventId, event]));
      const taken = rows.map(row => ({ row, event: eventOf.get(row.event_id)! }));
      flow.passed(
        "taken_in",
        taken.map(({ event }) => event),
      );
      const claimed = taken.flatMap(({ row, event }) => claimRow(row, event, channel) ?? []).sort(byVersion);
      return { claimed, left: claimed.length < rows.length, result: undefined };
    });
  }

  async function bury(unreadable: readonly Unreadable[]): Promise<void> {
    if (unreadable.length === 0) return;
    await sql.raw_dead_letters.append({
      stream: unreadable.map(() => stream),
      stream_seq: unreadable.map(({ message }) => message.streamSeq),
      subject: unreadable.map(({ message }) => message.subject),
      headers: unreadable.map(({ message }) => storableHeaders(message.headers)),
      data: unreadable.map(({ message }) => `\\x${Buffer.from(message.data).toString("hex")}`),
      event_id: unreadable.map(({ message }) => eventIdOf(message.headers["Nats-Msg-Id"])),
      reason: unreadable.map(({ reason }) => reason),
    });
    events.inc({ outcome: "unreadable" }, unreadable.length);
    for (const { message, reason } of unreadable) log.error({ stream, ...idsOf(message), error: reason }, "intake.unreadable");
  }
}

/** What an unreadable message is found by; its headers may be anything, also absent. */
const idsOf = ({ subject, streamSeq, headers }: Received) => ({
  stream_seq: streamSeq,
  subject,
  event_id: eventIdOf(headers["Nats-Msg-Id"]),
  trace_id: isReadableTrace(headers.traceparent) ? traceIdOf(headers.traceparent!) : null,
});

const storableHeaders = (headers: Received["headers"]) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [storable(name), storable(value)]));

const parametersOf = (readable: readonly Read[], channel: string) => ({
  event_id: readable.map(({ event }) => event.eventId),
  event_type: readable.map(({ event }) => event.eventType),
  aggregate_key: readable.map(({ event }) => event.aggregateKey),
  aggregate_version: readable.map(({ event }) => event.version),
  stream_seq: readable.map(({ message }) => message.streamSeq),
  user_id: readable.map(({ event }) => event.userId),
  payload: readable.map(({ event }) => event.payload),
  traceparent: readable.map(({ event }) => event.traceparent),
  channel,
});

const byVersion = (a: NotificationsClaimRow, b: NotificationsClaimRow) => a.aggregate_version - b.aggregate_version;

/** What was claimed, as the sender's own claim would return it. */
const claimRow = ({ claimed_id, event_id, stale }: AcceptRow, event: IncomingEvent, channel: string): NotificationsClaimRow | undefined =>
  claimed_id === null
    ? undefined
    : {
        notification_id: claimed_id,
        event_id,
        user_id: event.userId,
        type: event.eventType,
        aggregate_key: event.aggregateKey,
        aggregate_version: event.version,
        stale,
        payload: event.payload,
        traceparent: event.traceparent,
        channel,
        attempt_count: 0,
      };
