import { randomBytes, randomUUID } from "node:crypto";
import postgres from "postgres";
import { variable } from "./stack.ts";

export interface Try {
  /** Milliseconds after the notification was made. */
  readonly after: number;
  readonly took: number;
  readonly outcome: "sent" | "retry" | "dead";
  readonly error?: string;
}

/** An event and what became of it, as if the systems had done it at that time. */
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

// What waits for its next attempt still waits when everybody has looked at it.
const retryIn = 1_200_000;

const iso = (at: number) => new Date(at).toISOString();

/** An id that is as old as what it names: lists are in the order of ids. */
function idAt(at: number): string {
  const time = Math.floor(at).toString(16).padStart(12, "0");
  const rest = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(15)}`;
}

export interface Databases {
  readonly entitlement: postgres.Sql;
  readonly notification: postgres.Sql;
  end(): Promise<void>;
}

/** The systems' own databases, for what no API makes: the past, and what went wrong in it. */
export function openDatabases(): Databases {
  const open = (system: string) => postgres(variable(`${system}_DATABASE_URL`), { max: 1, onnotice: () => {} });
  const [entitlement, notification] = [open("ENTITLEMENT"), open("NOTIFICATION")];
  return { entitlement, notification, end: async () => void (await Promise.all([entitlement.end(), notification.end()])) };
}

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Inserts rows by the names of their columns; what they do not name gets its default. */
async function put(sql: postgres.Sql, table: string, rows: Rows): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]!);
  const given = sql.json(rows as unknown as postgres.JSONValue);
  await sql`insert into ${sql(table)} (${sql(columns)}) select ${sql(columns)} from jsonb_populate_recordset(null::${sql(table)}, ${given})`;
}

/** Puts chains there, oldest first; the users must be new to the systems. Answers the ids of their events and notifications. */
export async function putChains({ entitlement, notification }: Databases, chains: readonly Chain[]) {
  const rows = chains.map((chain, index) => rowsOf(chain, index + 1));
  const states = new Map(rows.map(({ state }) => [JSON.stringify([state.user_id, state.stock_keeping_unit]), state]));
  await put(entitlement, "entitlements", [...states.values()]);
  await put(entitlement, "entitlement_audit", afterTheirBefore(rows.map(row => row.audit)));
  await put(
    entitlement,
    "idempotency_keys",
    rows.map(row => row.idempotency),
  );
  await put(
    entitlement,
    "outbox_events",
    rows.map(row => row.event),
  );
  const told = rows.flatMap(row => (row.told ? [row.told] : []));
  await put(
    notification,
    "processed_events",
    told.map(one => one.processed),
  );
  const versions = new Map(told.map(({ notification: { aggregate_key, aggregate_version: version } }) => [aggregate_key, version]));
  await put(
    notification,
    "newest_versions",
    [...versions].map(([aggregate_key, version]) => ({ aggregate_key, version })),
  );
  const placed = inOrder(told.map(one => one.notification));
  await put(notification, "notifications", placed);
  const positions = new Map(placed.flatMap(({ user_id, position }) => (position === null ? [] : [[user_id, position] as const])));
  await put(
    notification,
    "inbox_positions",
    [...positions].map(([user_id, position]) => ({ user_id, position })),
  );
  await put(
    notification,
    "notification_attempts",
    told.flatMap(one => one.attempts),
  );
  await put(
    notification,
    "notification_dlq",
    told.flatMap(one => one.dead),
  );
  return rows.map(row => ({ eventId: row.event.event_id, notificationId: row.told?.notification.notification_id }));
}

interface AuditRow {
  readonly at: string;
  readonly user_id: string;
  readonly stock_keeping_unit: string;
}

/** Each change of a pair knows when the one before was. */
function afterTheirBefore<Row extends AuditRow>(rows: readonly Row[]): (Row & { previous_at: string | null })[] {
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
    told: publishedAt && chain.delivery ? toldOf({ ...same, type, trace_id }, user, chain.delivery, publishedAt + 15, number) : undefined,
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

function toldOf({ trace_id, ...event }: Published, user_id: string, { status, tries }: Delivery, at: number, stream_seq: number) {
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

/** As a worker holds what it is still at. */
const claim = (isHeld: boolean) => ({
  locked_by: isHeld ? "kenri-1" : null,
  locked_at: isHeld ? iso(Date.now()) : null,
  lease_until: isHeld ? iso(Date.now() + 3_600_000) : null,
  claim_token: isHeld ? randomUUID() : null,
});

/** A user's inbox is counted from 1, in the order of what was sent. */
function inOrder<Told extends { user_id: string; status: string }>(told: readonly Told[]): (Told & { position: number | null })[] {
  const positions = new Map<string, number>();
  return told.map(one => {
    if (one.status !== "SENT") return { ...one, position: null };
    const position = (positions.get(one.user_id) ?? 0) + 1;
    positions.set(one.user_id, position);
    return { ...one, position };
  });
}
