import { randomBytes, randomUUID } from "node:crypto";
import postgres from "postgres";
import { audits, entitlements, idempotencyKeys, outboxEvents } from "../entitlement_rows.ts";
import { deadLetters, deliveryAttempts, notifications, processedEvents } from "../notification_rows.ts";

export interface Try {
  /** Milliseconds after the notification was made. */
  readonly after: number;
  readonly took: number;
  readonly outcome: "sent" | "retry" | "dead";
  readonly error?: string;
}

/** An event and all rows that belong to it, as the systems would have written them at that time. */
export interface Chain {
  readonly at: number;
  readonly user: string;
  readonly sku: string;
  readonly version: number;
  readonly isRevoked?: boolean;
  readonly reason: string;
  readonly purchase: string;
  readonly client: string;
  readonly key: string;
  readonly outbox: { status: "PENDING" | "IN_FLIGHT" | "PUBLISHED" | "FAILED"; attempts: number; error?: string; took?: number };
  readonly delivery?: Delivery;
}

export interface Delivery {
  readonly status: "PENDING" | "PROCESSING" | "SENT" | "FAILED";
  readonly tries: readonly Try[];
}

// Rows that wait for a retry wait for longer than any test runs.
const retryIn = 1_200_000;

const iso = (at: number) => new Date(at).toISOString();

/** A UUID of version 7 with this time: lists are in the order of ids. */
export function idAt(at: number): string {
  const time = Math.floor(at).toString(16).padStart(12, "0");
  const rest = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(15)}`;
}

export interface Databases {
  readonly entitlement: postgres.Sql;
  readonly notification: postgres.Sql;
  readonly orders: postgres.Sql;
  end(): Promise<void>;
}

/** The databases of the system that `.stack/dev.env` or the environment names. */
export function openDatabases(): Databases {
  const open = (variable: string) => {
    const url = process.env[variable];
    if (!url) throw new Error(`${variable} is not set: the seeds are written to the database that it names`);
    return postgres(url, { max: 1, onnotice: () => {} });
  };
  const pools = {
    entitlement: open("ENTITLEMENT_DATABASE_URL"),
    notification: open("NOTIFICATION_DATABASE_URL"),
    orders: open("ORDERS_DATABASE_URL"),
  };
  return { ...pools, end: async () => void (await Promise.all(Object.values(pools).map(pool => pool.end()))) };
}

/** Inserts chains, oldest first; the systems must not have their users yet. Returns the ids of their events and notifications. */
export async function putChains({ entitlement, notification }: Databases, chains: readonly Chain[]) {
  const rows = chains.map((chain, index) => rowsOf(chain, index + 1));
  const states = new Map(rows.map(({ state }) => [JSON.stringify([state.user_id, state.stock_keeping_unit]), state]));
  await entitlements.putValues(entitlement, [...states.values()]);
  await audits.putValues(entitlement, withPrevious(rows.map(row => row.audit)));
  const keys = rows.map(row => row.idempotency);
  await idempotencyKeys.putValues(entitlement, keys);
  const events = rows.map(row => row.event);
  await outboxEvents.putValues(entitlement, events);
  await putConsumed(
    notification,
    rows.flatMap(row => (row.consumed ? [row.consumed] : [])),
  );
  return rows.map(row => ({ eventId: row.event.event_id, notificationId: row.consumed?.notification.notification_id }));
}

async function putConsumed(sql: postgres.Sql, consumed: readonly ReturnType<typeof consumedOf>[]): Promise<void> {
  const processed = consumed.map(one => one.processed);
  await processedEvents.putValues(sql, processed);
  const versions = new Map(processed.map(({ aggregate_key, aggregate_version: version }) => [aggregate_key, version]));
  const newest = [...versions].map(([aggregate_key, version]) => ({ aggregate_key, version }));
  await sql`insert into newest_versions select * from jsonb_populate_recordset(null::newest_versions, ${sql.json(newest)})`;
  const placed = withPositions(consumed.map(one => one.notification));
  await notifications.putValues(sql, placed);
  const last = new Map(placed.flatMap(({ user_id, position }) => (position === null ? [] : [[user_id, position] as const])));
  const positions = [...last].map(([user_id, position]) => ({ user_id, position }));
  await sql`insert into inbox_positions select * from jsonb_populate_recordset(null::inbox_positions, ${sql.json(positions)})`;
  const attempts = consumed.flatMap(one => one.attempts);
  await deliveryAttempts.putValues(sql, attempts);
  const dead = consumed.flatMap(one => one.dead);
  await deadLetters.putValues(sql, dead);
}

interface AuditRow {
  readonly at: string;
  readonly user_id: string;
  readonly stock_keeping_unit: string;
}

/** Adds the time of the change before of the same pair. */
function withPrevious<Row extends AuditRow>(rows: readonly Row[]): (Row & { previous_at: string | null })[] {
  const last = new Map<string, string>();
  return rows.map(row => {
    const pair = JSON.stringify([row.user_id, row.stock_keeping_unit]);
    const previous_at = last.get(pair) ?? null;
    last.set(pair, row.at);
    return { ...row, previous_at };
  });
}

function rowsOf(chain: Chain, number: number) {
  const { at, user, sku, version, isRevoked = false, reason, purchase, client, key, outbox } = chain;
  const event_id = idAt(at);
  const trace_id = randomBytes(16).toString("hex");
  const status = isRevoked ? "REVOKED" : "ACTIVE";
  const route = `/v1/entitlements/${isRevoked ? "revokes" : "grants"}`;
  const publishedAt = outbox.status === "PUBLISHED" ? at + (outbox.took ?? 40) : undefined;
  const same = {
    event_id,
    aggregate_key: `${user}:${sku}`,
    aggregate_version: version,
    payload: {
      user_id: user,
      stock_keeping_unit: sku,
      source: reason,
      source_id: purchase,
      version,
      occurred_at: iso(at).replace("Z", "000Z"),
    },
    traceparent: `00-${trace_id}-${randomBytes(8).toString("hex")}-01`,
  };
  const type = isRevoked ? "EntitlementRevoked" : "EntitlementGranted";
  return {
    event: {
      ...same,
      event_type: type,
      status: outbox.status,
      attempt_count: outbox.attempts,
      next_retry_at: iso(outbox.status === "PENDING" ? Date.now() + retryIn : at),
      last_error: outbox.error ?? null,
      failed_at: outbox.error ? iso(at + 4000) : null,
      publish_generation: 0,
      ...claim(outbox.status === "IN_FLIGHT"),
      created_at: iso(at),
      published_at: publishedAt ? iso(publishedAt) : null,
      stream_seq: publishedAt ? number : null,
      stream_duplicate: publishedAt ? false : null,
      confirmed_at: publishedAt ? iso(publishedAt + 900) : null,
    },
    audit: {
      at: iso(at),
      event_id,
      user_id: user,
      stock_keeping_unit: sku,
      status,
      version,
      client_id: client,
      detail: { reason, purchase_id: purchase, trace_id, route, idem_key: key },
    },
    idempotency: {
      client_id: client,
      route,
      idem_key: key,
      request_hash: randomBytes(32).toString("base64url"),
      response_code: 200,
      response_body: JSON.stringify({ event_id, user_id: user, stock_keeping_unit: sku, status, version }),
      created_at: iso(at),
      expires_at: iso(at + 86_400_000),
    },
    state: {
      user_id: user,
      stock_keeping_unit: sku,
      status,
      version,
      granted_at: iso(at),
      revoked_at: isRevoked ? iso(at) : null,
      source: reason,
      source_id: purchase,
      updated_at: iso(at),
    },
    consumed:
      publishedAt && chain.delivery ? consumedOf({ ...same, type, trace_id }, user, chain.delivery, publishedAt + 15, number) : undefined,
  };
}

interface Published {
  readonly event_id: string;
  readonly type: string;
  readonly aggregate_key: string;
  readonly aggregate_version: number;
  readonly payload: object;
  readonly traceparent: string;
  readonly trace_id: string;
}

function consumedOf({ trace_id, ...event }: Published, user_id: string, { status, tries }: Delivery, at: number, stream_seq: number) {
  const last = tries.at(-1);
  const ended = iso(at + (last ? last.after + last.took : 0));
  const notification_id = idAt(at);
  const { event_id, aggregate_key, aggregate_version, payload, type } = event;
  const reason = tries.findLast(one => one.error)?.error ?? null;
  return {
    notification: {
      ...event,
      notification_id,
      user_id,
      stale: false,
      channel: "stream",
      status,
      attempt_count: tries.length,
      attempts_made: tries.length,
      next_retry_at: status === "PENDING" ? iso(Date.now() + retryIn) : ended,
      last_error: reason,
      failed_at: reason ? ended : null,
      ...claim(status === "PROCESSING"),
      created_at: iso(at),
      sent_at: status === "SENT" ? ended : null,
    },
    attempts: tries.map(({ after, took, outcome, error }, index) => ({
      notification_id,
      number: index + 1,
      worker: `sender@kenri-${1 + (stream_seq % 3)}`,
      started_at: iso(at + after),
      duration_ms: took,
      outcome,
      error: error ?? null,
    })),
    dead: status === "FAILED" ? [{ notification_id, event_id, user_id, reason, attempts: tries.length, payload, failed_at: ended }] : [],
    processed: { event_id, event_type: type, aggregate_key, aggregate_version, stale: false, stream_seq, processed_at: iso(at), trace_id },
  };
}

/** The columns of a claim, as a worker writes them. */
const claim = (isHeld: boolean) => ({
  locked_by: isHeld ? "kenri-1" : null,
  locked_at: isHeld ? iso(Date.now()) : null,
  lease_until: isHeld ? iso(Date.now() + 3_600_000) : null,
  claim_token: isHeld ? randomUUID() : null,
});

/** The feed of a user is numbered from 1, in the order of sending. */
function withPositions<Row extends { user_id: string; status: string }>(rows: readonly Row[]): (Row & { position: number | null })[] {
  const positions = new Map<string, number>();
  return rows.map(one => {
    if (one.status !== "SENT") return { ...one, position: null };
    const position = (positions.get(one.user_id) ?? 0) + 1;
    positions.set(one.user_id, position);
    return { ...one, position };
  });
}
