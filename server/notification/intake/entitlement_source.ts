import { fromBinary } from "@bufbuild/protobuf";
import { EntitlementEventSchema } from "../../gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import type { NotificationSettings } from "../config.ts";
import { type Delivered, type DeliverOnWrite, leftToSender } from "../delivery/deliver_on_write.ts";
import type { AcceptRow } from "../sql.gen.ts";
import { type Accepted, acceptArrivals, type Through } from "./arrivals.ts";
import { decodeEntitlementEvent, type IncomingEvent } from "./entitlement_event.ts";
import { createPatience } from "./patience.ts";
import { type Acceptance, type Arrival, declareSource, type Intake, type IntakeParts, type Source } from "./source.ts";

type Batch = readonly Arrival<IncomingEvent>[];

/** Entitlement's events: one notification for each, in the order of versions. */
export const entitlementSource = ({ sources, intake }: NotificationSettings): Source =>
  declareSource<IncomingEvent>({
    name: "entitlement",
    consumer: {
      stream: sources.entitlement.stream,
      durable: sources.entitlement.consumer,
      ackWait: intake.ackWait,
      maxAckPending: intake.maxAckPending,
    },
    decode: decodeEntitlementEvent,
    usersOf: data => [fromBinary(EntitlementEventSchema, data).userId],
    intake: parts => entitlementIntake(parts, intake.patience),
    tracesOf: ({ eventId, traceparent }) => [{ parent: traceparent, attributes: { "kenri.event_id": eventId } }],
    inTraces: (event, [traceparent = event.traceparent]) => ({ ...event, traceparent }),
    async acceptNow({ sql, channel }, { event, streamSeq }) {
      const through = new Map([[event.aggregateKey, { version: event.version, at: event.version }]]);
      await acceptArrivals(sql, { ...parametersOf([{ event, streamSeq }], channel, leftToSender), through });
      return undefined;
    },
  });

function entitlementIntake({ sql, channel, log, metrics }: IntakeParts, patienceLimit: number): Intake<IncomingEvent> {
  const gaps = metrics.counter("intake_gaps_total", "Events consumed without their predecessor, which did not come in time.");
  const patience = createPatience(patienceLimit);

  /** The lowest version of each pair that has waited long enough. */
  function letThrough(batch: Batch): ReadonlyMap<string, Through> {
    const lowest = new Map<string, number>();
    for (const { event } of batch)
      lowest.set(event.aggregateKey, Math.min(event.version, lowest.get(event.aggregateKey) ?? Number.POSITIVE_INFINITY));
    return new Map(
      [...lowest].flatMap(([aggregateKey, version]) => {
        const at = patience.usedUpAt(aggregateKey, version);
        return at === undefined ? [] : [[aggregateKey, { version, at }] as const];
      }),
    );
  }

  /** Events that have to wait for their predecessor, each with its delay. All events of a pair get the same, so that they come again together. */
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

  function noteGaps(consumed: readonly { row: Accepted; event: IncomingEvent }[]): void {
    const behind = consumed.filter(({ row }) => row.isAfterGap);
    gaps.inc(behind.length);
    for (const { event } of behind)
      repeatsOf(log).write("warn", { event_id: event.eventId, version: event.version }, "intake.gap", { burst: rowBurst });
  }

  return {
    startAnew: patience.startAnew,
    async accept(batch, delivery): Promise<Acceptance> {
      const answered = await acceptArrivals(sql, { ...parametersOf(batch, channel, delivery), through: letThrough(batch) });
      const eventOf = new Map(batch.map(({ event }) => [event.eventId, event]));
      const rows = answered.filter(row => !row.waiting);
      const waiting = answered.filter(row => row.waiting);
      const stale = rows.filter(row => row.stale).length;
      const consumed = rows.map(row => ({ row, event: eventOf.get(row.event_id)! }));
      noteGaps(consumed);
      const delays = delaysOf(waiting, eventOf);
      return {
        verdicts: batch.map(({ event }) => {
          const later = delays.get(event.eventId);
          return later === undefined ? "consumed" : { later };
        }),
        counts: { accepted: rows.length - stale, stale, waiting: waiting.length, duplicate: batch.length - answered.length },
        stored: consumed.map(({ event }) => event),
        delivered: consumed.flatMap(({ row, event }) => deliveredRow(row, event, channel) ?? []),
      };
    },
  };
}

const parametersOf = (batch: Batch, channel: string, { worker, mayDeliver }: Pick<DeliverOnWrite, "worker" | "mayDeliver">) => ({
  event_id: batch.map(({ event }) => event.eventId),
  event_type: batch.map(({ event }) => event.eventType),
  aggregate_key: batch.map(({ event }) => event.aggregateKey),
  aggregate_version: batch.map(({ event }) => event.version),
  stream_seq: batch.map(({ streamSeq }) => streamSeq),
  user_id: batch.map(({ event }) => event.userId),
  payload: batch.map(({ event }) => event.payload),
  traceparent: batch.map(({ event }) => event.traceparent),
  channel,
  worker,
  deliver: mayDeliver(batch.map(({ event }) => event.userId)),
});

/** A notification that was SENT from the start. */
const deliveredRow = ({ sent_id, position, event_id, stale }: AcceptRow, event: IncomingEvent, channel: string): Delivered | undefined =>
  sent_id === null || position === null
    ? undefined
    : {
        notification_id: sent_id,
        position,
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
