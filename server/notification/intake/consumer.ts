import type { Faults } from "../../kernel/life/fault.ts";
import type { Signatures } from "../../kernel/nats/signatures.ts";
import type { Received, Verdict } from "../../kernel/nats/subscription.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import { isRefused, replaceNul } from "../../kernel/postgres/database.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { failedBurst, repeatsOf } from "../../kernel/telemetry/repeats.ts";
import type { Tracer } from "../../kernel/telemetry/spans.ts";
import { isReadableTrace, traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { DeliverOnWrite } from "../delivery/deliver_on_write.ts";
import { eventIdOf } from "./event_rules.ts";
import { type Refused, readMessage } from "./incoming.ts";
import { intakeSpans } from "./intake_spans.ts";
import type { IntakeParts, SourceDeclaration } from "./source.ts";

export interface ConsumerParts extends IntakeParts {
  readonly delivery: DeliverOnWrite;
  readonly signatures: Signatures;
  readonly counters: IntakeCounters;
  readonly faults: Faults;
  readonly flow: Flow;
  readonly tracer?: Tracer | undefined;
}

/** Consumes what comes from one source. */
export interface SourceConsumer {
  readonly handle: (batch: readonly Received[]) => Promise<Verdict[]>;
  /** After an outage, in which no event could be consumed anywhere. */
  readonly startAnew: () => void;
}

/** The counters of all sources. */
export const intakeCounters = (metrics: Metrics) => ({
  events: metrics.counter("intake_events_total", "Messages from the streams, by source and what became of them.", ["source", "outcome"]),
  refusals: metrics.counter("intake_refused_total", "Messages from the streams that became raw dead letters, by source and why.", [
    "source",
    "reason",
  ]),
});
type IntakeCounters = ReturnType<typeof intakeCounters>;

interface Readable<Event> {
  readonly message: Received;
  readonly event: Event;
}
interface Unreadable extends Refused {
  readonly message: Received;
}

/** Consumes a batch: verify, decode, one statement for events, one for messages that cannot be read. Returns after both have committed. */
export function consumer<Event>(declared: SourceDeclaration<Event>, parts: ConsumerParts): SourceConsumer {
  const { name: source, decode } = declared;
  const { stream } = declared.consumer;
  const { sql, delivery, signatures, counters, faults, flow, log, tracer } = parts;
  const intake = declared.intake(parts);

  async function handle(batch: readonly Received[]): Promise<Verdict[]> {
    const read = batch.map(message => ({ message, ...readMessage(message, decode, signatures) }));
    const readable = read.filter(one => one.kind === "event");
    const unreadable = read.filter(one => one.kind === "refused");
    counters.events.inc({ source, outcome: "probe" }, read.length - readable.length - unreadable.length);
    faults.at("intake.before_commit");
    const verdicts = new Map<Received, Verdict>();
    const refused = await acceptOrRefuse(readable, verdicts);
    await storeDeadLetters([...unreadable, ...refused]);
    faults.at("intake.committed");
    for (const { message } of [...unreadable, ...refused]) verdicts.set(message, "refused");
    return batch.map(message => verdicts.get(message) ?? "consumed"); // nothing is decided about a probe
  }

  /** An event that the database refuses must not block the others: if a batch fails, each event is tried alone, and one that fails alone is refused. */
  async function acceptOrRefuse(readable: readonly Readable<Event>[], verdicts: Map<Received, Verdict>): Promise<Unreadable[]> {
    try {
      for (const [index, verdict] of (await accept(readable)).entries()) verdicts.set(readable[index]!.message, verdict);
      return [];
    } catch (error) {
      if (!isRefused(error)) {
        intake.startAnew(); // other consumers cannot store events either
        throw error;
      }
      if (readable.length === 1) return [unstorable(readable[0]!.message, error as Error)];
      const refused: Unreadable[] = [];
      for (const one of readable) refused.push(...(await acceptOrRefuse([one], verdicts)));
      return refused;
    }
  }

  /** Stores the events that can be consumed now, with their notifications. */
  async function accept(readable: readonly Readable<Event>[]): Promise<readonly Verdict[]> {
    if (readable.length === 0) return [];
    const spans = tracer && intakeSpans(tracer, declared, readable);
    try {
      const arrivals = readable.map(({ event, message }, n) => ({ event: spans?.events[n] ?? event, streamSeq: message.streamSeq }));
      const { verdicts, counts, stored, delivered } = await intake.accept(arrivals, delivery);
      spans?.end(verdicts);
      for (const [outcome, count] of Object.entries(counts)) counters.events.inc({ source, outcome }, count);
      flow.passed("taken_in", stored);
      delivery.committed(delivered, delivered.length < stored.length);
      return verdicts;
    } catch (error) {
      spans?.fail(error);
      throw error;
    }
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
    counters.events.inc({ source, outcome: "unreadable" }, unreadable.length);
    for (const { cause } of unreadable) counters.refusals.inc({ source, reason: cause });
    for (const { message, reason } of unreadable)
      repeatsOf(log).write("error", { stream, ...idsOf(message), error: reason }, "intake.unreadable", { burst: failedBurst });
  }

  return { handle, startAnew: intake.startAnew };
}

const unstorable = (message: Received, { message: why }: Error): Unreadable => ({
  kind: "refused",
  message,
  cause: "unstorable",
  reason: `cannot be stored: ${why}`,
  untrusted: null,
});

/** The ids of an unreadable message in the log. Its headers may be missing or have any content. */
const idsOf = ({ subject, streamSeq, headers }: Received) => ({
  stream_seq: streamSeq,
  subject,
  event_id: eventIdOf(headers["Nats-Msg-Id"]),
  trace_id: isReadableTrace(headers.traceparent) ? traceIdOf(headers.traceparent!) : null,
});

const storableHeaders = (headers: Received["headers"]) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [replaceNul(name), replaceNul(value)]));
