import type { ClaimOnWrite } from "../../kernel/delivery/claim_on_write.ts";
import type { Faults } from "../../kernel/life/fault.ts";
import type { Signatures } from "../../kernel/nats/signatures.ts";
import type { Received, Verdict } from "../../kernel/nats/subscription.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import { isRefused, replaceNul } from "../../kernel/postgres/database.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { isReadableTrace, traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { AcceptRow, NotificationSql, NotificationsClaimRow } from "../sql.gen.ts";
import { type Accepted, acceptArrivals, type Through } from "./arrivals.ts";
import { eventIdOf, type IncomingEvent } from "./event.ts";
import { type Incoming, readMessage } from "./incoming.ts";
import type { Patience } from "./patience.ts";

export interface ConsumerOptions {
  readonly sql: NotificationSql;
  readonly stream: string;
  readonly channel: string;
  readonly attempts: Pick<ClaimOnWrite<NotificationsClaimRow>, "write">;
  readonly patience: Patience;
  readonly signatures: Signatures;
  readonly faults: Faults;
  readonly flow: Flow;
  readonly log: Log;
  readonly metrics: Metrics;
}

type Of<Kind extends Incoming["kind"]> = { readonly message: Received } & Extract<Incoming, { kind: Kind }>;
type Read = Of<"event">;
type Unreadable = Of<"refused">;

/** Takes a batch in: verify, decode, one statement for what can be read, one for what cannot; answered only after both have committed. */
export function consumer({ sql, stream, channel, attempts, patience, signatures, faults, flow, log, metrics }: ConsumerOptions) {
  const events = metrics.counter("intake_events_total", "Messages from the stream, by what became of them.", ["outcome"]);
  const refusals = metrics.counter("intake_refused_total", "Messages from the stream that became raw dead letters, by why.", ["reason"]);
  const gaps = metrics.counter("intake_gaps_total", "Events consumed without their predecessor, which did not come in time.");

  return async function handle(batch: readonly Received[]): Promise<Verdict[]> {
    const read = batch.map(message => ({ message, ...readMessage(message, signatures) }));
    const readable = read.filter(one => one.kind === "event");
    const unreadable = read.filter(one => one.kind === "refused");
    events.inc({ outcome: "probe" }, read.length - readable.length - unreadable.length);
    faults.at("intake.before_commit");
    const delays = new Map<string, number>();
    const refused = await acceptOrRefuse(readable, delays);
    await storeDeadLetters([...unreadable, ...refused]);
    faults.at("intake.committed");
    const isRefusedOne = new Set(refused.map(({ message }) => message));
    return read.map(one => {
      if (one.kind === "probe") return "taken";
      if (one.kind === "refused" || isRefusedOne.has(one.message)) return "refused";
      const later = delays.get(one.event.eventId);
      return later === undefined ? "taken" : { later };
    });
  };

  /** What the database itself refuses must not keep the others out: if a batch fails, each is tried alone, and what fails alone is told why. */
  async function acceptOrRefuse(readable: readonly Read[], delays: Map<string, number>): Promise<Unreadable[]> {
    try {
      for (const [eventId, delay] of await accept(readable)) delays.set(eventId, delay);
      return [];
    } catch (error) {
      if (!isRefused(error)) {
        patience.startAnew(); // the others cannot store the predecessors either
        throw error;
      }
      if (readable.length === 1) return [unstorable(readable[0]!.message, error as Error)];
      const refused: Unreadable[] = [];
      for (const one of readable) refused.push(...(await acceptOrRefuse([one], delays)));
      return refused;
    }
  }

  /** Stores what can be consumed now. Returns the events that have to wait for their predecessor, each with its delay in milliseconds. */
  async function accept(readable: readonly Read[]): Promise<ReadonlyMap<string, number>> {
    if (readable.length === 0) return new Map();
    return attempts.write(async claiming => {
      const answered = await acceptArrivals(sql, { ...parametersOf(readable, channel), through: letThrough(readable), ...claiming });
      const eventOf = new Map(readable.map(({ event }) => [event.eventId, event]));
      const rows = answered.filter(row => !row.waiting);
      const waiting = answered.filter(row => row.waiting);
      const stale = rows.filter(row => row.stale).length;
      events.inc({ outcome: "accepted" }, rows.length - stale);
      events.inc({ outcome: "stale" }, stale);
      events.inc({ outcome: "waiting" }, waiting.length);
      events.inc({ outcome: "duplicate" }, readable.length - answered.length);
      const taken = rows.map(row => ({ row, event: eventOf.get(row.event_id)! }));
      noteGaps(taken);
      flow.passed(
        "taken_in",
        taken.map(({ event }) => event),
      );
      const claimed = taken.flatMap(({ row, event }) => claimRow(row, event, channel) ?? []).sort(byVersion);
      return { claimed, hasUnclaimed: claimed.length < rows.length, result: delaysOf(waiting, eventOf) };
    });
  }

  /** The lowest version of each pair that has waited long enough. */
  function letThrough(readable: readonly Read[]): ReadonlyMap<string, Through> {
    const lowest = new Map<string, number>();
    for (const { event } of readable)
      lowest.set(event.aggregateKey, Math.min(event.version, lowest.get(event.aggregateKey) ?? Number.POSITIVE_INFINITY));
    return new Map(
      [...lowest].flatMap(([aggregateKey, version]) => {
        const at = patience.usedUpAt(aggregateKey, version);
        return at === undefined ? [] : [[aggregateKey, { version, at }] as const];
      }),
    );
  }

  /** All events of a pair have the same delay: they come again together. */
  function delaysOf(waiting: readonly AcceptRow[], eventOf: ReadonlyMap<string, IncomingEvent>): ReadonlyMap<string, number> {
    const early = waiting.map(({ event_id, reached }) => ({ reached, ...eventOf.get(event_id)! }));
    const pairs = Map.groupBy(early, one => one.aggregateKey);
    return new Map(
      [...pairs].flatMap(([aggregateKey, events]) => {
        const delay = patience.wait(aggregateKey, events[0]!.reached, Math.min(...events.map(({ version }) => version)));
        return events.map(({ eventId }) => [eventId, delay] as const);
      }),
    );
  }

  function noteGaps(taken: readonly { row: Accepted; event: IncomingEvent }[]): void {
    const behind = taken.filter(({ row }) => row.isAfterGap);
    gaps.inc(behind.length);
    for (const { event } of behind) log.warn({ event_id: event.eventId, version: event.version }, "intake.gap");
  }

  async function storeDeadLetters(unreadable: readonly Unreadable[]): Promise<void> {
    if (unreadable.length === 0) return;
    await sql.raw_dead_letters.append({
      stream: unreadable.map(() => stream),
      stream_seq: unreadable.map(({ message }) => message.streamSeq),
      subject: unreadable.map(({ message }) => message.subject),
      headers: unreadable.map(({ message }) => storableHeaders(message.headers)),
      data: unreadable.map(({ message }) => `\\x${Buffer.from(message.data).toString("hex")}`),
      event_id: unreadable.map(({ message }) => eventIdOf(message.headers["Nats-Msg-Id"])),
      reason: unreadable.map(({ reason }) => reason),
      untrusted: unreadable.map(({ untrusted }) => untrusted),
    });
    events.inc({ outcome: "unreadable" }, unreadable.length);
    for (const { cause } of unreadable) refusals.inc({ reason: cause });
    for (const { message, reason } of unreadable) log.error({ stream, ...idsOf(message), error: reason }, "intake.unreadable");
  }
}

const unstorable = (message: Received, { message: why }: Error): Unreadable => ({
  kind: "refused",
  message,
  cause: "unstorable",
  reason: `cannot be stored: ${why}`,
  untrusted: null,
});

/** What an unreadable message is found by; its headers may be anything, also absent. */
const idsOf = ({ subject, streamSeq, headers }: Received) => ({
  stream_seq: streamSeq,
  subject,
  event_id: eventIdOf(headers["Nats-Msg-Id"]),
  trace_id: isReadableTrace(headers.traceparent) ? traceIdOf(headers.traceparent!) : null,
});

const storableHeaders = (headers: Received["headers"]) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [replaceNul(name), replaceNul(value)]));

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
