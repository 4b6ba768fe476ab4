import { type Chain, type Databases, putChains } from "./chains.ts";
import type { Forgotten } from "./forget.ts";
import { putOrders, type SeededOrder } from "./orders.ts";

/** Texts that break pages which do not escape, measure or cut them. */
const script = `<script>window.hacked=1</script><img src=x onerror="window.hacked=1">`;
const texts = [
  script,
  "👩‍👩‍👧‍👦🏳️‍🌈 Z̸̡͇a̴̧l̶g̷o̵ ñandú",
  "\u202Egnp.exe \u2066عربى\u2067 עברית",
  "\\u0000\\x00%00{{7*7}}<%= 7*7 %>",
  `'"\`;-- or 1=1; drop table users`,
  "W".repeat(150),
] as const;
const endless = `${script}${"endless".repeat(1500)}`;

export interface Hostile {
  readonly failedEvent: string;
  readonly failedNotification: string;
  readonly rawLetter: string;
  readonly failedOrder: string;
  readonly unknownOrder: string;
  readonly operation: string;
  /** An operation that was stopped before its end. */
  readonly stopped: string;
  /** Also the idempotency key of what they were granted. */
  readonly user: string;
  /** A text that a page must show and not run. */
  readonly script: string;
  readonly forget: Forgotten;
}

/** Writes each text into every field that takes one, in both systems. The API refuses the longest ones, so they are written to the databases. */
export async function putHostile(databases: Databases): Promise<Hostile> {
  const run = `${Date.now()}`;
  const chains = texts.flatMap((text, index): Chain[] => {
    const of = (what: string): Omit<Chain, "outbox"> => ({
      at: Date.now() - 60_000 + index,
      user: `${text}${what}${run}`,
      sku: text.replaceAll(":", "").slice(0, 200),
      version: 1,
      reason: text,
      purchase: text,
      client: text,
      key: `${text}${what}${run}`.slice(0, 255),
    });
    const error = `${text} ${endless}`;
    const dead = [{ after: 9, took: 7, outcome: "dead" as const, error }];
    return [
      { ...of("a"), outbox: { status: "FAILED", attempts: 2, error } },
      { ...of("b"), outbox: { status: "PUBLISHED", attempts: 1 }, delivery: { status: "FAILED", tries: dead } },
      {
        ...of("c"),
        outbox: { status: "PUBLISHED", attempts: 1 },
        delivery: { status: "SENT", tries: [{ after: 9, took: 7, outcome: "sent" }] },
      },
    ];
  });
  const ids = await putChains(databases, chains);
  const subjects = ids.map(({ eventId }) => eventId);
  const [operation, stopped] = [crypto.randomUUID(), crypto.randomUUID()];
  const { entitlement: sql, notification } = databases;
  for (const text of [...texts, endless])
    await sql`insert into operator_actions (actor, action, subject, reason) values (${text}, ${text}, ${text}, ${`${text}${run}`}), (${text}, 'outbox.requeue', ${subjects[0]!}, ${`${text}${run}`})`;
  await sql`
    insert into operations (operation_id, kind, action, filter, set_hash, reason, actor, status, total, done, skipped, finished_at)
    values (${operation}, 'outbox', 'requeue', ${sql.json({ error: endless, user_id: script })}, '', ${endless}, ${endless}, 'DONE', 2, 1, 1, now())`;
  await sql`
    insert into operations (operation_id, kind, action, filter, set_hash, reason, actor, status, stop_reason, total, done, finished_at)
    values (${stopped}, 'outbox', 'requeue', ${sql.json({ error: script })}, '', ${script}, 'user:otto', 'STOPPED', ${`the account of ${endless} was suspended`}, 9, 2, now())`;
  await sql`insert into operation_items values (${operation}, 1, ${subjects[0]!}, 'DONE', null), (${operation}, 2, ${subjects[1]!}, 'SKIPPED', ${endless})`;
  const [raw] = await notification`
    insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, reason)
    values (${script}, ${run}, ${endless}, ${notification.json({ [script]: [endless] })}, ${Buffer.from(endless)}, ${endless}) returning id`;
  const orders = texts.flatMap((text, index): SeededOrder[] => {
    const message = `${text} ${endless}`;
    const of = (what: string) => ({
      at: Date.now() - 60_000 + index,
      client: text,
      key: `${text}${what}${run}`,
      order: {
        symbol: text.slice(0, 32),
        side: "BUY",
        quantity: "9".repeat(18),
        order_type: "LIMIT",
        limit_price: "1.5",
        client_tag: text,
      },
      code: text.slice(0, 200),
      message,
    });
    return [
      { ...of("d"), status: "aborted", calls: [{ kind: "send", after: 9, took: 7, outcome: "final", code: text, message }] },
      {
        ...of("e"),
        status: "failed",
        isUnknown: true,
        calls: [{ kind: "send", after: 9, took: 7, outcome: "unknown", code: text, message }],
      },
    ];
  });
  const ordered = await putOrders(databases, orders);
  return {
    failedOrder: ordered[0]!.orderId,
    unknownOrder: ordered[1]!.orderId,
    failedEvent: ids[0]!.eventId,
    failedNotification: ids[1]!.notificationId!,
    rawLetter: raw!.id,
    operation,
    stopped,
    user: chains[1]!.user,
    script,
    forget: {
      users: chains.map(({ user }) => user),
      clients: texts,
      actions: `%${run}`,
      operations: [operation, stopped],
      streams: [script],
    },
  };
}
