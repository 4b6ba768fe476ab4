import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { outboxEvents } from "../../testing/entitlement_rows.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { notifications } from "../../testing/notification_rows.ts";
import { type OperatorRow, orderTypes, putEvent, putNotification, putOrder } from "../../testing/operator_rows.ts";
import { outboxOrders } from "../../testing/order_rows.ts";
import { quoted } from "../../testing/rows.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:1" });
  await kenri.makeStore("orders");
  await kenri.start("entitlement:api notification:api orders:api");
});
afterAll(() => kenri.close());

type Row = Record<string, string>;

/** What the lists, counts and groups answer, taken together. */
interface Answer {
  readonly events: Row[];
  readonly notifications: Row[];
  readonly orders: Row[];
  readonly next_cursor?: string;
  readonly counts: Record<string, { count: number; more: boolean }>;
  readonly oldest_pending_at: string;
  readonly retrying: { count: number; more: boolean };
  readonly groups: {
    fingerprint: string;
    count: number;
    more: boolean;
    sample_id: string;
    first_at: string;
    last_at: string;
    next_at?: string;
  }[];
  readonly more: boolean;
}

const crowd = { user_id: "'crowd'", stock_keeping_unit: "n::text" };
const eventTypes = { EntitlementGranted: "EntitlementGranted", EntitlementRevoked: "EntitlementRevoked" } as const;
const columns = {
  user: "user_id",
  attempts: "attempt_count",
  due: "next_retry_at",
  error: "last_error",
  fingerprint: "error_fingerprint",
  item: "stock_keeping_unit",
};
/** Events and notifications that failed before are stored as waiting. */
const derived = {
  types: eventTypes,
  columns,
  retrying: "RETRYING",
  isStored: false,
  ofTheCrowd: "aggregate_key like 'crowd:%'",
  requeue: "status = 'PENDING'",
  fail: "last_error = $1",
};
const systems = {
  entitlement: {
    ...derived,
    path: "/ops/outbox",
    list: "events",
    id: "event_id",
    table: "outbox_events",
    put: putEvent,
    states: { waiting: "PENDING", busy: "IN_FLIGHT", done: "PUBLISHED", failed: "FAILED" },
    many: (status: string, count: number) => outboxEvents.text({ ...crowd, status: quoted(status) }, `generate_series(1, ${count}) n`),
  },
  notification: {
    ...derived,
    path: "/ops/notifications",
    list: "notifications",
    id: "notification_id",
    table: "notifications",
    put: putNotification,
    states: { waiting: "PENDING", busy: "PROCESSING", done: "SENT", failed: "FAILED" },
    many: (status: string, count: number) =>
      notifications.text(
        { ...crowd, status: quoted(status), ...(status === "SENT" ? { position: "n" } : {}) },
        `generate_series(1, ${count}) n`,
      ),
  },
  orders: {
    path: "/ops/orders",
    list: "orders",
    id: "order_id",
    table: "outbox_orders",
    put: putOrder,
    states: { waiting: "pending", busy: "sending", done: "succeeded", failed: "aborted" },
    types: orderTypes,
    columns: {
      user: "client_id",
      attempts: "attempts",
      due: "next_attempt_at",
      error: "last_error_msg",
      fingerprint: "last_error_code",
      item: "symbol",
    },
    retrying: "failed",
    isStored: true,
    ofTheCrowd: "client_id = 'crowd'",
    requeue: "status = 'pending', settled_at = null",
    fail: "last_error_msg = $1, last_error_code = fingerprint($1)",
    many: (status: string, count: number) =>
      outboxOrders.text({ client_id: "'crowd'", status: quoted(status) }, `generate_series(1, ${count}) n`),
  },
} as const;

const rows: OperatorRow[] = [
  {
    state: "failed",
    user: "alice",
    error: 'connect to "h1" refused after 3 tries',
    attempts: 10,
    minutes: 90,
    failed: 3,
    item: 'cape "1"',
  },
  { state: "failed", user: "bob", error: 'connect to "h22" refused after 4 tries', attempts: 10, minutes: 80, failed: 79 },
  { state: "failed", user: "a:b", error: "100% of <b>nothing</b>", attempts: 2, minutes: 75, failed: 10 },
  {
    state: "failed",
    user: "a",
    type: "EntitlementRevoked",
    error: "C:\\temp_1 has 'gone' \u202e🎁",
    attempts: 10,
    minutes: 70,
    failed: 20,
  },
  { state: "failed", user: "a", error: `long ${"x".repeat(10_000)} end`, attempts: 1, minutes: 66, failed: 65 },
  { state: "waiting", user: "alice", error: 'connect to "h9" refused after 1 tries', attempts: 1, minutes: 60, failed: 2 },
  { state: "waiting", user: "alice", minutes: 50 },
  { state: "waiting", user: "bob", error: "no answer in 5 s", attempts: 4, minutes: 48, failed: 4 },
  { state: "waiting", user: "bob", error: 'connect to "h7" refused after 2 tries', attempts: 3, minutes: 47, failed: 6 },
  { state: "waiting", user: "bob", error: "requeued after this", minutes: 46, failed: 46 },
  { state: "waiting", user: "'; drop table outbox_events; --", minutes: 45 },
  { state: "busy", user: "alice", attempts: 3, minutes: 40 },
  { state: "done", user: "alice", minutes: 30 },
  { state: "done", user: "bob", type: "EntitlementRevoked", attempts: 4, minutes: 20 },
  { state: "done", user: "Alice", minutes: 10 },
];
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const says = (part: string) => (row: OperatorRow) => (row.error ?? "").toLowerCase().includes(part.toLowerCase());
const refused = (row: OperatorRow) => row.error?.startsWith("connect") ?? false;

const filters: [name: string, query: () => Record<string, string>, matches: (row: OperatorRow) => boolean][] = [
  ["nothing", () => ({}), () => true],
  ["a type", () => ({ type: "EntitlementRevoked" }), row => row.type === "EntitlementRevoked"],
  ["a user, exactly", () => ({ user_id: "alice" }), row => row.user === "alice"],
  ["a user whose name begins another's", () => ({ user_id: "a" }), row => row.user === "a"],
  ["a user with a colon", () => ({ user_id: "a:b" }), row => row.user === "a:b"],
  ["a user with a hostile name", () => ({ user_id: "'; drop table outbox_events; --" }), row => row.user.startsWith("'")],
  ["a user who is not there", () => ({ user_id: "nobody" }), () => false],
  ["a part of the error, in any case", () => ({ error: "REFUSED" }), says("refused")],
  ["a percent sign, as such", () => ({ error: "%" }), says("%")],
  ["an underscore, as such", () => ({ error: "_" }), says("_")],
  ["a backslash", () => ({ error: "\\" }), says("\\")],
  ["HTML", () => ({ error: "<b>" }), says("<b>")],
  ["emoji after an override", () => ({ error: "\u202e🎁" }), says("🎁")],
  ["the end of a long error", () => ({ error: "x end" }), says("x end")],
  ["a fingerprint", () => ({ fingerprint: "connect to <text> refused after <n> tries" }), refused],
  ["a fingerprint, exactly", () => ({ fingerprint: "connect to <text>" }), () => false],
  ["attempts", () => ({ min_attempts: "3" }), row => (row.attempts ?? 0) >= 3],
  ["the most attempts", () => ({ min_attempts: "100" }), () => false],
  ["from a time", () => ({ created_from: ago(55) }), row => row.minutes < 55],
  ["up to a time", () => ({ created_to: ago(55) }), row => row.minutes > 55],
  ["between two times", () => ({ created_from: ago(72), created_to: ago(35) }), row => row.minutes < 72 && row.minutes > 35],
  ["times the wrong way round", () => ({ created_from: ago(35), created_to: ago(72) }), () => false],
  ["the year 1", () => ({ created_from: "0001-01-01T00:00:00Z" }), () => true],
  ["before the year 1", () => ({ created_to: "0001-01-01T00:00:00Z" }), () => false],
  ["the year 9999", () => ({ created_to: "9999-12-31T23:59:59.999999+14:00" }), () => true],
  [
    "all at once",
    () => ({ user_id: "alice", type: "EntitlementGranted", error: "h1", min_attempts: "10", created_from: ago(95), created_to: ago(85) }),
    row => row.minutes === 90,
  ],
];

const isRetrying = ({ state, attempts = 0 }: OperatorRow) => state === "waiting" && attempts > 0;

describe.each(Object.keys(systems) as (keyof typeof systems)[])("%s", system => {
  const { path, list, id, put, states, many, table, types, columns, retrying, isStored, ofTheCrowd, requeue, fail } = systems[system];
  const { waiting, failed } = states;
  const ids = new Map<string, OperatorRow>();
  const sql = () => kenri.store(system).sql;
  const get = async (below: string, { type, ...others }: Record<string, string> = {}) => {
    const query = { ...others, ...(type === undefined ? {} : { type: types[type as keyof typeof types] }) };
    const response = await kenri.call(system, `${path}${below}?${new URLSearchParams(query)}`);
    expect({ query, status: response.status }).toEqual({ query, status: 200 });
    return response.json() as Promise<Answer>;
  };
  async function walk(query: Record<string, string>, limit = "200", between = async () => {}): Promise<string[]> {
    const found: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await get("", { ...query, limit, ...(cursor ? { cursor } : {}) });
      found.push(...page[list].map(row => row[id]!));
      cursor = page.next_cursor;
      await between();
    }
    return found;
  }
  // Only among those that are done or failed, or without a state, is the order that of their age: those on their way are listed in turn.
  const inTurn = async (found: string[], status: string) => {
    if (status !== states.waiting && status !== states.busy) return found;
    const key = status === states.waiting ? columns.due : "lease_until";
    return (await sql().unsafe(`select ${id} as id from ${table} where ${id} = any($1) order by ${key}, ${id}`, [found])).map(
      row => row.id,
    );
  };
  const expected = (matches: (row: OperatorRow) => boolean) =>
    [...ids]
      .filter(([, row]) => matches(row))
      .sort((one, other) => one[1].minutes - other[1].minutes)
      .map(([key]) => key);

  beforeAll(async () => {
    for (const row of rows) ids.set(await put(sql(), row), row);
  });

  test.each(filters)("%s: the list has what matches, in its order, and the counts agree with it", async (_, query, matches) => {
    expect(await walk(query())).toEqual(expected(matches));
    expect(await walk(query(), "1")).toEqual(expected(matches));
    const { counts } = await get("/counts", query());
    for (const [state, status] of Object.entries(states)) {
      const wanted = expected(row => row.state === state && !(isStored && isRetrying(row)) && matches(row));
      const listed = "user_id" in query() ? wanted : await inTurn(wanted, status);
      expect(await walk({ ...query(), status })).toEqual(listed);
      expect(await walk({ ...query(), status }, "1")).toEqual(listed);
      expect(counts[status]).toEqual({ count: wanted.length, more: false });
    }
  });

  test.each(filters)("%s: the groups contain the failed rows that match", async (_, query, matches) => {
    const wanted = expected(row => row.state === "failed" && matches(row));
    const { groups } = await get("/groups", query());
    expect(groups.reduce((sum, group) => sum + group.count, 0)).toBe(wanted.length);
    expect(groups.map(group => group.count)).toEqual(groups.map(group => group.count).sort((a, b) => b - a));
    for (const group of groups) {
      const members = await walk({ ...query(), status: failed, fingerprint: group.fingerprint });
      expect([members.length, members[0]]).toEqual([group.count, group.sample_id]);
    }
  });

  const byFailure = (wanted: (row: OperatorRow) => boolean) =>
    [...ids]
      .filter(([, row]) => wanted(row))
      .sort(([, one], [, other]) => one.failed! - other.failed!)
      .map(([key]) => key);

  test.each(filters)(
    "%s: those that retry are counted, listed with the last failure first, and grouped by cause",
    async (_, query, matches) => {
      const wanted = (row: OperatorRow) => isRetrying(row) && matches(row);
      const listed = "user_id" in query() ? expected(wanted) : byFailure(wanted);
      expect(await walk({ ...query(), status: retrying })).toEqual(listed);
      expect(await walk({ ...query(), status: retrying }, "1")).toEqual(listed);
      expect((await get("/counts", query())).retrying).toEqual({ count: listed.length, more: false });
      const { groups } = await get("/groups", { ...query(), status: retrying });
      expect(groups.reduce((sum, group) => sum + group.count, 0)).toBe(listed.length);
      for (const group of groups) {
        const members = await walk({ ...query(), status: retrying, fingerprint: group.fingerprint });
        expect([members.length, members.includes(group.sample_id)]).toEqual([group.count, true]);
      }
    },
  );

  test.each(filters.filter(([, query]) => !("user_id" in query())))(
    "%s: failures are sorted as requested, page by page",
    async (_, query, matches) => {
      const wanted = (row: OperatorRow) => row.state === "failed" && matches(row);
      const byAttempts = expected(wanted).sort((one, other) => ids.get(other)!.attempts! - ids.get(one)!.attempts!);
      for (const limit of ["200", "1", "2"]) {
        expect(await walk({ ...query(), status: failed, sort: "failed" }, limit)).toEqual(byFailure(wanted));
        expect(await walk({ ...query(), status: failed, sort: "attempts" }, limit)).toEqual(byAttempts);
        expect(await walk({ ...query(), status: failed, sort: "created" }, limit)).toEqual(expected(wanted));
      }
    },
  );

  const isAbout = (at: string | undefined, minutes: number) =>
    expect(Math.abs(Date.parse(at!) - Date.parse(ago(minutes)))).toBeLessThan(60_000);

  test("a group shows when its rows failed first and last, whenever they were created, and when the next one is retried", async () => {
    const fingerprint = "connect to <text> refused after <n> tries";
    const find = async (query: Record<string, string>) =>
      (await get("/groups", query)).groups.find(group => group.fingerprint === fingerprint)!;
    const ofFailed = await find({});
    isAbout(ofFailed.first_at, 79);
    isAbout(ofFailed.last_at, 3);
    expect(ofFailed).not.toHaveProperty("next_at");
    const ofRetrying = await find({ status: retrying });
    isAbout(ofRetrying.first_at, 6);
    isAbout(ofRetrying.last_at, 2);
    const [next] = await sql().unsafe(
      `select iso(min(${columns.due})) as at from ${table} where status = $2 and ${columns.fingerprint} = $1`,
      [fingerprint, isStored ? retrying : waiting],
    );
    expect(ofRetrying.next_at).toBe(next!.at);
  });

  test("a group shows its first and last failure even of rows that are not among the newest", async () => {
    const error = "seldom and scattered";
    await put(sql(), { state: "failed", user: "far", error, minutes: 3000, failed: 1 });
    await put(sql(), { state: "failed", user: "far", error, minutes: 2900, failed: 2800 });
    await sql().unsafe(many(failed, 2100));
    await sql().unsafe(
      `update ${table} set ${fail}, failed_at = now() - interval '100 minutes' where status = '${failed}' and ${ofTheCrowd}`,
      [error],
    );
    const group = (await get("/groups", {})).groups.find(one => one.fingerprint === error)!;
    isAbout(group.first_at, 2800);
    isAbout(group.last_at, 1);
    await sql().unsafe(`delete from ${table} where ${columns.error} = $1`, [error]);
  });

  test("a failed row has its time of failure and its item", async () => {
    const [row] = (await get("", { status: failed, user_id: "alice" }))[list];
    isAbout(row!.failed_at, 3);
    isAbout(row!.created_at, 90);
    expect(row![columns.item]).toBe('cape "1"');
    const detail = await (await kenri.call(system, `${path}/${row![id]}`)).json();
    expect(detail).toMatchObject({ failed_at: row!.failed_at, [columns.item]: 'cape "1"' });
  });

  test("a row has its columns, and the counts have the age of the oldest waiting row", async () => {
    const [row] = (await get("", { status: failed, user_id: "alice" }))[list];
    expect(row).toMatchObject({
      [columns.user]: "alice",
      status: failed,
      [columns.attempts]: 10,
      [columns.error]: rows[0]!.error,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    for (const hidden of ["matches", "payload", "order_request_json"]) expect(row).not.toHaveProperty(hidden);
    const { oldest_pending_at } = await get("/counts");
    expect(Math.abs(Date.parse(oldest_pending_at) - Date.parse(ago(60)))).toBeLessThan(60_000);
  });

  test("rows that come and go between pages are never listed twice, and those that stay are never missed", async () => {
    const carols = await Promise.all(
      Array.from({ length: 12 }, (_, n) => put(sql(), { state: "failed", user: "carol", error: "e", minutes: 200 + n })),
    );
    const leaving = [carols[5]!, carols[11]!];
    const seen = await walk({ status: failed, user_id: "carol" }, "3", async () => {
      await put(sql(), { state: "failed", user: "carol", error: "e", minutes: 0 });
      await sql().unsafe(`update ${table} set ${requeue} where ${id} = any($1)`, [leaving]);
    });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter(one => !leaving.includes(one))).toEqual(carols.filter(one => !leaving.includes(one)));
  });

  test("a cursor belongs to its filter", async () => {
    const { next_cursor } = await get("", { limit: "1", status: failed });
    for (const query of [
      `limit=1&cursor=${next_cursor}`,
      `status=${waiting}&cursor=${next_cursor}`,
      `status=${failed}&type=${types.EntitlementGranted}&cursor=${next_cursor}`,
      `status=${failed}&sort=failed&cursor=${next_cursor}`,
      `status=${failed}&sort=attempts&cursor=${(await get("", { limit: "1", status: failed, sort: "failed" })).next_cursor}`,
    ])
      expect((await kenri.call(system, `${path}?${query}`)).status).toBe(400);
    await get("", { limit: "5", status: failed, cursor: next_cursor! });
  });

  test("a rare row far back is found on a later page, and rows that were not examined are not counted", async () => {
    const [rare] = await Promise.all([
      put(sql(), { state: "done", user: "dora", type: "EntitlementRevoked", minutes: 1000, attempts: 77 }),
    ]);
    await sql().unsafe(many(states.done, 21_000));
    const query = { status: states.done, min_attempts: "77" };
    expect(await get("", query)).toMatchObject({ [list]: [], next_cursor: expect.any(String) });
    expect(await walk(query)).toEqual([rare]);
    const { counts } = await get("/counts", { min_attempts: "77" });
    expect(counts[states.done]).toEqual({ count: 0, more: true });
    expect((await get("/counts")).counts[states.done]).toEqual({ count: 10_000, more: true });
    expect(await walk({ ...query, user_id: "dora" })).toEqual([rare]);
  });

  test("behind a backlog of more than 10,000 rows those due first come first, and everything else is found as before", async () => {
    const before = await walk({ status: failed });
    await sql().unsafe(many(waiting, 10_050));
    expect((await get("/counts")).counts[waiting]).toEqual({ count: 10_000, more: true });
    const { [list]: page } = await get("", { status: waiting, limit: "200" });
    const [first] = await sql().unsafe(
      `select array(select ${id} from ${table} where status = '${waiting}' order by ${columns.due}, ${id} limit 200) as ids`,
    );
    expect(page.map(row => row[id])).toEqual(first?.ids);
    expect(await walk({ status: failed })).toEqual(before);
    expect(await walk({ status: waiting, user_id: "alice" })).toEqual(
      expected(row => row.state === "waiting" && row.user === "alice" && !(isStored && isRetrying(row))),
    );
  });

  test("rows that are due at the same moment are each listed once, page by page", async () => {
    await sql().unsafe(`delete from ${table} where status = '${waiting}'`);
    await sql().unsafe(many(waiting, 1050));
    const all = await walk({ status: waiting }, "100");
    expect([all.length, new Set(all).size]).toEqual([1050, 1050]);
    expect(await walk({ status: waiting, type: "EntitlementGranted" }, "7")).toEqual(all);
    expect(await walk({ status: waiting, type: "EntitlementRevoked" })).toEqual([]);
  });

  test("every cause is shown, however many rows another cause has, and a group shows when its count is incomplete", async () => {
    await put(sql(), { state: "failed", user: "rare", error: "a cause of its own", minutes: 5000 });
    await sql().unsafe(many(failed, 3000));
    await sql().unsafe(`update ${table} set ${fail} where status = '${failed}' and ${ofTheCrowd}`, ["crowded"]);
    const { groups, more } = await get("/groups");
    expect(more).toBe(false);
    expect(groups[0]).toMatchObject({ fingerprint: "crowded", more: true });
    expect(groups.find(group => group.fingerprint === "a cause of its own")).toMatchObject({ count: 1, more: false });
    expect(await get("/groups", { min_attempts: "99" })).toMatchObject({ groups: [], more: true });
  });

  test("behind a backlog longer than a count examines, rows of a span of time are still counted", async () => {
    await sql().unsafe(many(waiting, 11_000));
    const created_from = new Date().toISOString();
    const late = await put(sql(), { state: "waiting", user: "zoe", minutes: 0 });
    expect((await get("/counts")).counts[waiting]).toEqual({ count: 10_000, more: true });
    expect((await get("/counts", { created_from })).counts[waiting]?.count).toBe(1);
    expect(await walk({ created_from, status: waiting })).toEqual([late]);
    expect((await get("", { created_from, user_id: "zoe", status: waiting }))[list].map(row => row[id])).toEqual([late]);
  });
});
