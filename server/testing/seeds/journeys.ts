import { deadLetters } from "../notification_rows.ts";
import { quoted } from "../rows.ts";
import { type Chain, type Databases, putChains } from "./chains.ts";

/** Events in every state that an event can have. Returns their ids by name. */
export async function putJourneys(databases: Databases): Promise<Record<string, string>> {
  const at = Date.now() - 600_000;
  const error = "push gateway answered 503 Service Unavailable: upstream connect error";
  const tries = (...outcomes: ("sent" | "retry" | "dead")[]) =>
    outcomes.map((outcome, index) => ({
      after: 9 + index * 2000,
      took: 40,
      outcome,
      ...(outcome === "sent" ? {} : { error }),
    }));
  const published: Chain["outbox"] = { status: "PUBLISHED", attempts: 0, took: 60 };
  const cases: Record<string, Pick<Chain, "outbox" | "delivery">> = {
    delivered: { outbox: published, delivery: { status: "SENT", tries: tries("sent") } },
    retrying: { outbox: published, delivery: { status: "PENDING", tries: tries("retry", "retry") } },
    "failed in the outbox": {
      outbox: { status: "FAILED", attempts: 10, error: "JetStream: message size exceeds maximum allowed (10054)" },
    },
    "retrying in the outbox": { outbox: { status: "PENDING", attempts: 3, error: "no response from stream leader" } },
    dead: { outbox: published, delivery: { status: "FAILED", tries: tries("retry", "dead") } },
    requeued: { outbox: published, delivery: { status: "SENT", tries: tries("retry", "dead", "sent") } },
    stale: { outbox: published, delivery: { status: "SENT", tries: tries("sent") } },
    unconfirmed: { outbox: published, delivery: { status: "SENT", tries: tries("sent") } },
    audit: { outbox: published },
    unreadable: { outbox: published },
  };
  const names = Object.keys(cases);
  const run = Date.now();
  const ids = await putChains(
    databases,
    names.map((name, index) => ({
      at: at + index * 1000,
      user: `${name.replaceAll(" ", "-")}.${run}`,
      sku: "season-pass-2026",
      version: 1,
      reason: "PURCHASE",
      purchase: `order-${name}-${run}`,
      client: "shop",
      key: `order-${name}-${run}`,
      ...cases[name]!,
    })),
  );
  const idOf = (name: string) => ids[names.indexOf(name)]!;
  const { entitlement, notification } = databases;
  const requeued = idOf("requeued").notificationId!;
  const dead = {
    reason: quoted(error),
    attempts: 2,
    failed_at: "created_at + interval '2060 ms'",
    requeued_at: "created_at + interval '3500 ms'",
    requeued_by: "'user:otto'",
  };
  await deadLetters.put(notification, dead, `notifications where notification_id = '${requeued}'`);
  await notification`insert into operator_actions (at, actor, action, subject, reason)
    select created_at + interval '3500 ms', 'shop-robot', 'notification.requeue', notification_id::text, 'The gateway is well again, INC-2231' from notifications where notification_id = ${requeued}`;
  await notification`update notifications set stale = true where notification_id = ${idOf("stale").notificationId!}`;
  await notification`update processed_events set stale = true where event_id = ${idOf("stale").eventId}`;
  await notification`insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, event_id, reason)
    values ('KENRI_EVENTS', ${run}, 'kenri.entitlement.granted', '{}', '\\xff', ${idOf("unreadable").eventId}, 'not an EntitlementEvent: invalid wire type 7')`;
  await entitlement`update outbox_events set confirmed_at = null where event_id in ${entitlement([idOf("unconfirmed").eventId, idOf("unreadable").eventId])}`;
  // The relay settles a little after the consumer has the event.
  await entitlement`update outbox_events set published_at = published_at + interval '45 ms' where event_id = ${idOf("delivered").eventId}`;
  await entitlement`delete from outbox_events where event_id = ${idOf("audit").eventId}`;
  return Object.fromEntries(names.map(name => [name, idOf(name).eventId]));
}
