import { putBelievableOrders } from "./believable_orders.ts";
import type { Chain, Databases, Delivery, Try } from "./chains.ts";
import { putChains } from "./chains.ts";

/** Pseudo-random numbers, the same in every run, so that two runs can be compared. */
function dice(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    next,
    of: <T>(choices: readonly T[]): T => choices[Math.floor(next() * choices.length)]!,
    upTo: (most: number) => next() * most,
  };
}

const first =
  "amelia aiko bruno carmen dmitri elena farid greta hugo ines jonas kaori lucia mateo nadia oskar priya quentin rosa sven".split(" ");
const last = "okafor lindqvist moreau tanaka rossi novak silva haddad keller ferreira".split(" ");
const items = [
  "season-pass-2026",
  "starter-pack",
  "founders-cape",
  "dragon-mount",
  "beta-access",
  "battle-pass-s4",
  "moonlit-bow",
  "guild-banner",
  "soundtrack",
];

const deliveries: [count: number, error: string][] = [
  [38, "push gateway answered 503 Service Unavailable: upstream connect error or disconnect/reset before headers"],
  [17, "webhook https://hooks.arcadia.example/kenri timed out after 5000 ms"],
  [6, "TLS handshake with push.example.com failed: certificate has expired (not after 2026-11-14T23:59:59Z)"],
  [3, 'template "season_pass_granted" has no text for language "pt-BR"'],
  [2, "410 Gone: device token 7f3a19 is no longer registered"],
];
const publishes: [count: number, error: string][] = [
  [14, "JetStream: no response from stream leader within 2000 ms"],
  [4, "JetStream: maximum messages per subject exceeded (10077)"],
];
const gaveUp = 5;

/** The rows that the pictures open. */
export interface Known {
  readonly journey: string;
  readonly failed: string;
  readonly event: string;
  readonly user: string;
  readonly key: string;
  /** A bulk operation whose rows failed again, and one whose rows are still open. */
  readonly inVain: string;
  readonly onTheWay: string;
  /** An aborted order, one with an unknown outcome, and a key that two clients used. */
  readonly order: string;
  readonly unknownOrder: string;
  readonly orderKey: string;
}

/** Three hours of a shop: mostly healthy, with a push gateway that was down for a while. */
export async function putBelievable(databases: Databases, now = Date.now()): Promise<Known> {
  const { next, of, upTo } = dice(4);
  const minutes = (count: number) => now - count * 60_000;
  const added: Omit<Chain, "version">[] = [];

  function add(at: number, how: Pick<Chain, "outbox" | "delivery">): void {
    const order = `order-${20_000 + added.length}`;
    added.push({
      at,
      user: `${of(first)}.${of(last)}`,
      sku: of(items),
      reason: next() < 0.85 ? "PURCHASE" : "CAMPAIGN",
      purchase: order,
      client: of(["shop", "shop", "campaigns"]),
      key: `${order}-1`,
      ...how,
    });
  }
  const published = (): Chain["outbox"] => ({ status: "PUBLISHED", attempts: 1, took: 12 + upTo(60) });
  const sent = (): Delivery => ({ status: "SENT", tries: [{ after: 5 + upTo(20), took: Math.round(8 + upTo(90)), outcome: "sent" }] });
  const failing = (error: string, outcome: Try["outcome"], index: number): Try => ({
    after: 20 + (2 ** index - 1) * 1500,
    took: Math.round(30 + upTo(400)),
    outcome,
    error,
  });
  const dying = (error: string): Delivery => {
    // A device that is gone is not tried often, and its journey fits a screen.
    const most = error.startsWith("410") ? 2 : gaveUp;
    return {
      status: "FAILED",
      tries: Array.from({ length: most }, (_, index) => failing(error, index === most - 1 ? "dead" : "retry", index)),
    };
  };

  const times = Array.from({ length: 460 }, () => minutes(1 + upTo(180))).toSorted((a, b) => a - b);
  const troubled = times.filter(at => at > minutes(50) && at < minutes(18));
  const deaths = deliveries.flatMap(([count, error]) => Array.from({ length: count }, () => error));
  const refusals = publishes.flatMap(([count, error]) => Array.from({ length: count }, () => error));
  for (const at of times) {
    const died = troubled.includes(at) ? (next() < 0.85 ? deaths.shift() : undefined) : undefined;
    if (died) {
      add(at, { outbox: published(), delivery: dying(died) });
    } else if (at > minutes(70) && at < minutes(58) && refusals.length > 0)
      add(at, { outbox: { status: "FAILED", attempts: gaveUp, error: refusals.shift()! } });
    else if (next() < 0.04) {
      const tries: Try[] = [failing(deliveries[1]![1], "retry", 0), { after: 1800, took: 44, outcome: "sent" }];
      add(at, { outbox: published(), delivery: { status: "SENT", tries } });
    } else add(at, { outbox: published(), delivery: sent() });
  }
  for (const error of [...deaths, ...refusals].slice(0, 40)) {
    add(minutes(16 + upTo(1)), { outbox: published(), delivery: dying(error) });
  }
  for (let index = 0; index < 7; index += 1)
    add(minutes(2) + index * 900, {
      outbox: published(),
      delivery: { status: "PENDING", tries: [failing(deliveries[0]![1], "retry", 0)] },
    });
  for (let index = 0; index < 3; index += 1)
    add(minutes(1) + index, { outbox: published(), delivery: { status: "PROCESSING", tries: [] } });
  add(minutes(0.5), { outbox: { status: "PENDING", attempts: 2, error: publishes[0]![1] } });

  const chains = inVersions(added);
  const ids = await putChains(databases, chains);
  await putFlow(databases, chains);
  await putRawDeadLetters(databases);
  const failed = chains.findLastIndex(({ delivery }) => delivery?.status === "FAILED");
  const refused = chains.findLastIndex(({ outbox }) => outbox.status === "FAILED");
  const { user, key } = chains[failed]!;
  const notified = (status: string) =>
    ids.flatMap(({ notificationId }, n) => (chains[n]!.delivery?.status === status ? [notificationId!] : []));
  const inVain = await putOperation(databases, notified("FAILED").slice(0, 36), "The push gateway answers again, says its status page");
  const onTheWay = await putOperation(
    databases,
    [...notified("SENT").slice(-9), ...notified("PENDING"), ...notified("PROCESSING")],
    "After the failover, INC-2229",
  );
  const known = { journey: ids[failed]!.eventId, failed: ids[failed]!.notificationId!, event: ids[refused]!.eventId, user, key };
  return { ...known, inVain, onTheWay, ...(await putBelievableOrders(databases, now)) };
}

/** A finished requeue of these notifications; their outcome is their present state. */
async function putOperation({ notification: sql }: Databases, subjects: readonly string[], reason: string): Promise<string> {
  const [made] = await sql`
    insert into operations (kind, action, filter, set_hash, reason, actor, status, total, done, finished_at)
    values ('notifications', 'requeue', ${sql.json({ status: "FAILED", error: "push gateway" })}, '', ${reason}, 'user:otto', 'DONE', ${subjects.length}, ${subjects.length}, now())
    returning operation_id`;
  await sql`insert into operation_items (operation_id, position, subject, result)
    select ${made!.operation_id}, n, subject, 'DONE' from unnest(${sql.array([...subjects])}::uuid[]) with ordinality as s(subject, n)`;
  return made!.operation_id;
}

/** In the order of time, each change of a pair is its next version: granted, revoked, granted again. */
function inVersions(added: readonly Omit<Chain, "version">[]): Chain[] {
  const versions = new Map<string, number>();
  return added
    .toSorted((a, b) => a.at - b.at)
    .map(chain => {
      const version = (versions.get(chain.user + chain.sku) ?? 0) + 1;
      versions.set(chain.user + chain.sku, version);
      const isRevoked = version % 2 === 0;
      return { ...chain, version, isRevoked, reason: isRevoked ? "REFUND" : chain.reason };
    });
}

/** Messages that could not be read. */
async function putRawDeadLetters({ notification: sql }: Databases): Promise<void> {
  const data = Buffer.from('{"event":"EntitlementGranted","user":"amelia.okafor","sku":"season-pass-2026"}');
  const headers = { "Nats-Msg-Id": ["legacy-importer-77"], "Content-Type": ["application/json"] };
  await sql`
    insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, reason) values
    ('KENRI_EVENTS', 90417, 'kenri.entitlement.granted', ${sql.json(headers)}, ${data}, 'not a protobuf message: invalid wire type 3 at offset 1'),
    ('KENRI_EVENTS', 90418, 'kenri.entitlement.granted', ${sql.json({})}, ${data.subarray(0, 19)}, 'the message has no Nats-Msg-Id header')`;
}

/** The counts of these chains by minute, as the workers would have written them. */
async function putFlow({ entitlement, notification }: Databases, chains: readonly Chain[]): Promise<void> {
  const passed = chains.flatMap(({ at, outbox, delivery }) => {
    const taken = 15 + (outbox.took ?? 0);
    const step = (name: string, after?: number) => ({ name, at: at + (after ?? 0), after });
    const out =
      outbox.status === "PUBLISHED" ? [step("published", outbox.took ?? 0)] : outbox.status === "FAILED" ? [step("failed", 4000)] : [];
    const named = { sent: "sent", retry: "retried", dead: "failed" } as const;
    const told = delivery?.tries.map(({ after, took, outcome }) => step(named[outcome], taken + after + took)) ?? [];
    return [
      ...[step("changed"), ...out].map(one => ({ sql: entitlement, ...one })),
      ...(delivery ? [step("taken_in", taken), ...told].map(one => ({ sql: notification, ...one })) : []),
    ];
  });
  const minuteOf = (at: number) => new Date(Math.floor(at / 60_000) * 60_000);
  const together = new Map<string, typeof passed>();
  for (const one of passed) {
    const name = `${one.sql === entitlement} ${one.name} ${minuteOf(one.at).toISOString()}`;
    together.set(name, [...(together.get(name) ?? []), one]);
  }
  for (const group of together.values()) {
    const [{ sql, name, at }] = group as [(typeof group)[number]];
    const buckets = group.flatMap(({ after }) => (after === undefined ? [] : [Math.ceil(Math.log2(Math.max(1, after)) * 4)]));
    const counts = Array.from({ length: Math.max(-1, ...buckets) + 1 }, (_, bucket) => buckets.filter(one => one === bucket).length);
    await sql`insert into flow_minutes (minute, step, count, buckets) values (${minuteOf(at)}, ${name}, ${group.length}, ${counts}::int[])
      on conflict (minute, step) do nothing`;
  }
}
