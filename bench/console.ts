import { cursors, placeText } from "../server/kernel/http/cursor.ts";
import { filterOf } from "../server/kernel/operator/filter.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { fillConsoleNotifications, fillConsoleOutbox, fillOperatorWork } from "./console_rows.ts";
import { type Figure, ms, percentile, timings } from "./measure.ts";

const sizes = [10_000, 1_000_000] as const;
const [warmUps, rounds, longest] = [3, 15, 700];

const systems = {
  entitlement: { list: "outbox", id: "event_id", table: "outbox_events", done: "PUBLISHED", held: "IN_FLIGHT", fill: fillConsoleOutbox },
  notification: {
    list: "notifications",
    id: "notification_id",
    table: "notifications",
    done: "SENT",
    held: "PROCESSING",
    fill: fillConsoleNotifications,
  },
} as const;
type System = keyof typeof systems;
type Question = [what: string, path: string, body?: string];
const sqlOf = (kenri: TestKenri, system: System) => (system === "entitlement" ? kenri.entitlementSql : kenri.notificationSql);

/**
 * Compares the time of every list, count and look-up through HTTP at a million rows with ten thousand.
 * Both are measured in turns, so that other load on the machine affects both.
 */
export async function operatorReads(small: TestKenri, large: TestKenri): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const system of Object.keys(systems) as System[]) {
    await fill(small, system, sizes[0]);
    await fill(large, system, sizes[1]);
    const ofLarge = await questions(large, system, sizes[1]);
    for (const [n, question] of (await questions(small, system, sizes[0])).entries()) {
      const [base, measured] = await inTurns([small, question], [large, ofLarge[n]!], system);
      const figure: Figure = {
        what: `${systems[system].list}: ${question[0]}`,
        value: `${ms(measured.time)} (${measured.answer})`,
        against: `at 10k rows: ${ms(base.time)} (${base.answer})`,
        ratio: measured.time / base.time,
        goal: goalOf(question[0]),
      };
      figures.push(figure);
    }
  }
  return figures;
}

const goalOf = (what: string) =>
  what.startsWith("bulk preview")
    ? "none: it names every row of the set"
    : what === "operation, the largest"
      ? "none: it looks at each of its rows, up to 10,000"
      : "≤ 3";

async function fill(kenri: TestKenri, system: System, count: number): Promise<void> {
  const sql = sqlOf(kenri, system);
  await systems[system].fill(sql, count);
  const { list, table, id } = systems[system];
  await fillOperatorWork(sql, count, list, table, id);
  await sql`vacuum analyze`;
  await sql`checkpoint`;
}

/** Measures both in turns. Returns the median of each and its response. */
async function inTurns(one: [TestKenri, Question], other: [TestKenri, Question], system: System) {
  const asked = [one, other].map(([kenri, question]) => ({ times: [] as number[], answer: "", ask: () => ask(kenri, system, question) }));
  for (let n = 0; n < warmUps; n++) for (const each of asked) each.answer = await each.ask();
  const since = performance.now();
  for (let n = 0; n < rounds && performance.now() - since < longest; n++)
    for (const each of asked) each.times.push(...(await timings(1, each.ask)));
  const [base, measured] = asked.map(({ times, answer }) => ({ time: percentile(times, 50), answer }));
  return [base!, measured!] as const;
}

async function ask(kenri: TestKenri, system: System, [, path, body]: Question): Promise<string> {
  const response = await kenri.call(system, path, body ? { method: "POST", headers: { "content-type": "application/json" }, body } : {});
  const answer = (await response.json()) as Record<string, unknown>;
  if (![200, 503].includes(response.status)) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
  return said(answer);
}

/** A short summary of a response, so that a fast empty response is noticed. */
function said(answer: Record<string, unknown>): string {
  if (answer.status === 503) return "503";
  const one = (value: { count: number; more: boolean }) => `${value.count}${value.more ? "+" : ""}`;
  if (answer.counts)
    return Object.values(answer.counts as Record<string, { count: number; more: boolean }>)
      .map(one)
      .join(" ");
  if (typeof answer.eligible === "number") return `${answer.eligible} of ${answer.count}`;
  const list = Object.values(answer).find(Array.isArray);
  return list ? `${list.length}${answer.next_cursor ? ", more" : ""}` : "one";
}

/** The cursor in the middle of a list by time. */
async function halfWayOf(sql: ReturnType<typeof sqlOf>, table: string, id: string, where: string, key: string): Promise<string> {
  const [place] = await sql.unsafe(`select ${key}::text as at, ${id} as id from ${table} where ${where} order by ${key}, ${id}
    offset (select count(*) / 2 from ${table} where ${where}) limit 1`);
  return placeText({ at: place!.at as string, id: place!.id as string });
}

async function questions(kenri: TestKenri, system: System, count: number): Promise<Question[]> {
  const { list, id, table, done, held } = systems[system];
  const sql = sqlOf(kenri, system);
  const [secret] = await sql`select value from secrets where name = 'cursor'`;
  const [middle] =
    await sql.unsafe(`select ${id} as id, event_id, split_part(traceparent, '-', 2) as trace from ${table} where status = '${done}'
    and ${id} > uuidv7(interval '-15 days') order by ${id} limit 1`);
  const [failed] = await sql.unsafe(`select ${id} as id, split_part(aggregate_key, ':', 1) as user_id, error_fingerprint as fingerprint
    from ${table} where status = 'FAILED' order by ${id} limit 1`);
  const [operation] = await sql`select operation_id from operations order by total desc limit 1`;
  const states = ["PENDING", held, done, "FAILED"];
  const halfWay = new Map([
    ["PENDING", await halfWayOf(sql, table, id, "status = 'PENDING'", "next_retry_at")],
    [held, await halfWayOf(sql, table, id, `status = '${held}'`, "lease_until")],
    ["RETRYING", await halfWayOf(sql, table, id, "status = 'PENDING' and attempt_count > 0", "failed_at")],
    ["failed", await halfWayOf(sql, table, id, "status = 'FAILED'", "failed_at")],
    ["attempts", await halfWayOf(sql, table, id, "status = 'FAILED'", "attempt_count")],
  ]);
  const [small] = await sql`select operation_id from operations where total = 3 order by operation_id desc limit 1`;
  const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
  const deep = (filter: Record<string, string>, sort?: string) => {
    const position = halfWay.get(sort ?? filter.status ?? "") ?? (middle!.id as string);
    const name = `${list} ${JSON.stringify(filterOf(filter))}${sort ? ` ${sort}` : ""}`;
    const cursor = cursors(secret!.value as Uint8Array).make(name, position);
    return query({ ...filter, ...(sort ? { sort } : {}), cursor });
  };
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const filters: Record<string, Record<string, string>> = {
    "no filter": {},
    "a type": { type: "EntitlementRevoked" },
    "a user": { user_id: failed!.user_id as string },
    "a user who is not there": { user_id: "nobody" },
    "a part of the error": { error: "host" },
    "a rare part of the error": { error: `h${count - 5}"` },
    "an error that nobody has": { error: "no such words" },
    "a fingerprint": { fingerprint: failed!.fingerprint as string },
    "a fingerprint that nobody has": { fingerprint: "nothing" },
    attempts: { min_attempts: "10" },
    "more attempts than anybody has": { min_attempts: "100" },
    "an hour": { created_from: ago(3 + 1 / 24), created_to: ago(3) },
    "a day": { created_from: ago(4), created_to: ago(3) },
    "a week": { created_from: ago(10), created_to: ago(3) },
    combined: { type: "EntitlementGranted", error: "gave up", min_attempts: "2", created_from: ago(20), created_to: ago(3) },
    "combined, nothing": { type: "EntitlementRevoked", error: "no such words", min_attempts: "2", created_from: ago(20) },
  };
  const each = Object.entries(filters);
  const base = `/ops/${list}`;
  return [
    ...each.map(([name, filter]) => [`counts, ${name}`, `${base}/counts?${query(filter)}`] as [string, string]),
    ...[undefined, ...states].flatMap(status =>
      each.map(
        ([name, filter]) =>
          [`list ${status ?? "of all"}, ${name}`, `${base}?${query({ ...filter, ...(status ? { status } : {}) })}`] as [string, string],
      ),
    ),
    ["list of all, deep", `${base}?${deep({})}`],
    ...states.map(status => [`list ${status}, deep`, `${base}?${deep({ status })}`] as [string, string]),
    ["list FAILED, deep, a fingerprint", `${base}?${deep({ status: "FAILED", fingerprint: failed!.fingerprint as string })}`],
    ...["RETRYING", "FAILED&sort=failed", "FAILED&sort=attempts"].flatMap(shown =>
      each
        .filter(([, filter]) => !("user_id" in filter))
        .map(([name, filter]) => [`list ${shown}, ${name}`, `${base}?status=${shown}&${query(filter)}`] as [string, string]),
    ),
    ["list RETRYING, deep", `${base}?${deep({ status: "RETRYING" })}`],
    ...["failed", "attempts"].map(
      sort => [`list FAILED by ${sort}, deep`, `${base}?${deep({ status: "FAILED" }, sort)}`] as [string, string],
    ),
    ...each.map(([name, filter]) => [`groups, ${name}`, `${base}/groups?${query(filter)}`] as [string, string]),
    ...each.map(([name, filter]) => [`groups RETRYING, ${name}`, `${base}/groups?status=RETRYING&${query(filter)}`] as [string, string]),
    ["detail", `${base}/${middle!.id}`],
    ["detail of a failed one", `${base}/${failed!.id}`],
    ["journey by event", `/ops/journey/${middle!.event_id}`],
    ["journey by trace", `/ops/journey/${middle!.trace}`],
    ...(system === "entitlement"
      ? ([
          ["journey by idempotency key", `/ops/journey/key-${count / 2}`],
          ["journey by purchase", `/ops/journey/p_${count / 2}`],
        ] as [string, string][])
      : ([
          ["journey by notification", `/ops/journey/${middle!.id}`],
          ["dead letters", "/ops/notifications/dead"],
        ] as [string, string][])),
    ["journey by an id that nobody knows", "/ops/journey/nobody-knows-it"],
    ["operator's actions", "/ops/actions"],
    ["operator's actions on one row", `/ops/actions?subject=${middle!.id}`],
    ["operations", "/ops/operations"],
    ["operation", `/ops/operations/${small!.operation_id}`],
    ["operation, the largest", `/ops/operations/${operation!.operation_id}`],
    ["items of an operation", `/ops/operations/${operation!.operation_id}/items`],
    ["items of an operation, by result", `/ops/operations/${operation!.operation_id}/items?result=SKIPPED`],
    ["items of an operation, by outcome", `/ops/operations/${operation!.operation_id}/items?outcome=FAILED_AGAIN`],
    ["items of an operation, by an outcome that none has", `/ops/operations/${operation!.operation_id}/items?outcome=GONE`],
    ...each
      .filter(([name]) => name !== "no filter")
      .map(
        ([name, filter]) =>
          [`bulk preview, ${name}`, `${base}/bulk/preview`, JSON.stringify({ action: "requeue", filter: bodied(filter) })] as [
            string,
            string,
            string,
          ],
      ),
    [
      "bulk preview to retry",
      `${base}/bulk/preview`,
      JSON.stringify({ action: "retry", filter: { status: "RETRYING", fingerprint: failed!.fingerprint as string } }),
    ],
  ];
}

const bodied = ({ min_attempts, ...filter }: Record<string, string>) => ({
  ...filter,
  ...(min_attempts ? { min_attempts: Number(min_attempts) } : {}),
});
