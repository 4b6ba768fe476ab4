import type { ConsumerSpec } from "../../kernel/nats/streams.ts";
import type { Verdict } from "../../kernel/nats/subscription.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { BatchMember } from "../../kernel/telemetry/spans.ts";
import type { Delivered, DeliverOnWrite } from "../delivery/deliver_on_write.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { type ConsumerParts, consumer, type SourceConsumer } from "./consumer.ts";
import type { Decode, Headers } from "./event_rules.ts";
import { type Letter, type Reprocessed, type Reprocessing, reprocessLetter } from "./reprocess.ts";

/** An event and the place of its message in the stream. */
export interface Arrival<Event> {
  readonly event: Event;
  readonly streamSeq: number;
}

/** `stale`: a newer version was consumed before. `waiting`: it comes again later. `conflict`: it contradicts what was consumed before, and is dropped. */
export type Outcome = "accepted" | "stale" | "waiting" | "duplicate" | "conflict";

/** What became of a batch. */
export interface Acceptance {
  /** For each event, in the order of the batch. */
  readonly verdicts: readonly Verdict[];
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  /** The notices that were stored. */
  readonly stored: readonly { readonly payload: unknown }[];
  /** Those of them that were SENT from the start. */
  readonly delivered: readonly Delivered[];
}

/** How a consumer stores the events of a source. */
export interface Intake<Event> {
  accept(batch: readonly Arrival<Event>[], delivery: Pick<DeliverOnWrite, "worker" | "mayDeliver">): Promise<Acceptance>;
  /** After an outage, in which no event could be consumed anywhere. */
  startAnew(): void;
}

export interface IntakeParts {
  readonly sql: NotificationSql;
  readonly channel: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A stream of events that become notifications. */
export interface SourceDeclaration<Event> {
  readonly name: string;
  readonly consumer: ConsumerSpec;
  readonly decode: Decode<Event>;
  /** The users that a message is about. Throws if it cannot be read. */
  readonly usersOf: (data: Uint8Array) => readonly string[];
  readonly intake: (parts: IntakeParts) => Intake<Event>;
  /** The traces of an event, one for each notification. */
  readonly tracesOf: (event: Event, headers: Headers) => readonly BatchMember[];
  /** The event with these trace contexts for its notifications. */
  readonly inTraces: (event: Event, traceparents: readonly string[]) => Event;
  /** Stores one event for an operator, who wants it now. Returns why it is refused, if it contradicts what was consumed before. */
  readonly acceptNow: (parts: Pick<IntakeParts, "sql" | "channel">, arrival: Arrival<Event>) => Promise<string | undefined>;
}

/** A source without the type of its events, as it stands in the list. */
export interface Source {
  readonly name: string;
  readonly consumer: ConsumerSpec;
  readonly usersOf: (data: Uint8Array) => readonly string[];
  consume(parts: ConsumerParts): SourceConsumer;
  reprocess(letter: Letter, parts: Reprocessing): Promise<Reprocessed>;
}

export const declareSource = <Event>(declared: SourceDeclaration<Event>): Source => ({
  name: declared.name,
  consumer: declared.consumer,
  usersOf: declared.usersOf,
  consume: parts => consumer(declared, parts),
  reprocess: (letter, parts) => reprocessLetter(declared, letter, parts),
});
