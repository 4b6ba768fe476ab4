import { fromBinary } from "@bufbuild/protobuf";
import { MatchEventSchema } from "../../gen/kenri/matchmaking/v1/match_event_pb.ts";
import type { Verdict } from "../../kernel/nats/subscription.ts";
import { repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import type { BatchMember } from "../../kernel/telemetry/spans.ts";
import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { NotificationSettings } from "../config.ts";
import { type Delivered, leftToSender } from "../delivery/deliver_on_write.ts";
import { type AcceptedMatch, acceptMatches } from "./match_arrivals.ts";
import { decodeMatchEvent, type IncomingMatch, type MatchNotice, matchFound } from "./match_event.ts";
import { type Acceptance, declareSource, type Intake, type IntakeParts, type Outcome, type Source } from "./source.ts";

// The match before it in its batch is stored by then.
const shortDelay = 20;

/** Matchmaking's matches: a notification for each player. */
export const matchSource = ({ sources, intake }: NotificationSettings): Source => {
  const { stream, consumer, keep } = sources.matchmaking;
  return declareSource<IncomingMatch>({
    name: "matchmaking",
    consumer: { stream, durable: consumer, ackWait: intake.ackWait, maxAckPending: intake.maxAckPending },
    decode: decodeMatchEvent,
    usersOf: data => fromBinary(MatchEventSchema, data).players.map(({ userId }) => userId),
    intake: parts => matchIntake(parts, keep),
    tracesOf: ({ notices }, { traceparent = "" }) => notices.map(notice => traceOfNotice(notice, traceparent)),
    inTraces: (event, traceparents) => ({
      ...event,
      notices: event.notices.map((notice, index) => ({ ...notice, traceparent: traceparents[index] ?? notice.traceparent })),
    }),
    async acceptNow({ sql, channel }, arrival) {
      const [accepted] = await acceptMatches(sql, { arrivals: [arrival], keep, channel, delivery: leftToSender });
      return accepted!.outcome === "conflict" ? `one of its players was announced in the match ${accepted!.announcedIn}` : undefined;
    },
  });
};

/** The publish is in the trace of one player. The notice of another one is in its own trace, and links to the publish. */
function traceOfNotice({ eventId, traceparent }: MatchNotice, published: string): BatchMember {
  const attributes = { "kenri.event_id": eventId };
  return traceIdOf(traceparent) === traceIdOf(published)
    ? { parent: published, attributes }
    : { parent: traceparent, links: [published], attributes };
}

function matchIntake({ sql, channel, log }: IntakeParts, keep: number): Intake<IncomingMatch> {
  return {
    startAnew: () => {},
    async accept(batch, delivery): Promise<Acceptance> {
      const accepted = await acceptMatches(sql, { arrivals: batch, keep, channel, delivery });
      const judged = batch.map(({ event }, index) => ({ event, ...accepted[index]! }));
      for (const { event, outcome, announcedIn } of judged)
        if (outcome === "conflict")
          repeatsOf(log).write(
            "warn",
            { match_id: event.matchId, announced_in: announcedIn, event_ids: event.notices.map(one => one.eventId) },
            "intake.conflict",
            { burst: rowBurst },
          );
      const fresh = judged.filter(({ outcome }) => outcome === "accepted");
      return {
        verdicts: judged.map(({ outcome }): Verdict => (outcome === "waiting" ? { later: shortDelay } : "consumed")),
        counts: countsOf(judged.map(({ outcome }) => outcome)),
        stored: fresh.flatMap(({ event }) => event.notices),
        delivered: fresh.flatMap(({ event, delivered }) => event.notices.flatMap(notice => deliveredRow(notice, delivered, channel) ?? [])),
      };
    },
  };
}

function countsOf(outcomes: readonly AcceptedMatch["outcome"][]): Partial<Record<Outcome, number>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** A notification that was SENT from the start. */
function deliveredRow(notice: MatchNotice, delivered: AcceptedMatch["delivered"], channel: string): Delivered | undefined {
  const sent = delivered.get(notice.eventId);
  if (sent === undefined) return undefined;
  return {
    ...sent,
    event_id: notice.eventId,
    user_id: notice.userId,
    type: matchFound,
    aggregate_key: notice.aggregateKey,
    aggregate_version: 1,
    stale: false,
    payload: notice.payload,
    traceparent: notice.traceparent,
    channel,
    attempt_count: 0,
  };
}
