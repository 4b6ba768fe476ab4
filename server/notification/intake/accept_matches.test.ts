import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { matchMessage } from "../../testing/match_events.ts";
import { processedEvents } from "../../testing/notification_rows.ts";
import { leftToSender } from "../delivery/deliver_on_write.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { acceptMatches } from "./match_arrivals.ts";
import { decodeMatchEvent, type IncomingMatch } from "./match_event.ts";

const keep = 3_600_000;
let database: TestDatabase;
let pool: Sql;
let sql: NotificationSql;
beforeAll(async () => {
  database = await testDatabase("notification");
  pool = connect({ url: database.appUrl, name: "test", max: 8, statementTimeout: 5000 });
  sql = bindStatements<NotificationSql>(pool, readStatements(["kernel", "notification"]), createMetrics(), 5000);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The same name is the same request to join, in every match of a test. */
const joinIds = new Map<string, string>();
const joinOf = (name: string) => joinIds.getOrInsertComputed(name, () => crypto.randomUUID());

/** A match of two requests to join. */
function matchOf(first: string, second: string): IncomingMatch {
  const players = [first, second].map(name => ({ userId: `user of ${name}`, joinId: joinOf(name) }));
  const { data, headers } = matchMessage({ players });
  const decoded = decodeMatchEvent(data, headers, Date.now());
  if ("reason" in decoded) throw new Error(decoded.reason);
  return decoded.event;
}
const earlier = (match: IncomingMatch, milliseconds: number): IncomingMatch => ({
  ...match,
  occurredAt: new Date(Date.parse(match.occurredAt) - milliseconds).toISOString(),
});

/** Consumes matches as one batch, in this order. */
const accept = (matches: readonly IncomingMatch[], delivery = leftToSender) =>
  acceptMatches(sql, { arrivals: matches.map((event, index) => ({ event, streamSeq: index + 1 })), keep, channel: "log", delivery });
const atOnce = { worker: "w", mayDeliver: () => true };
const outcomes = async (...matches: IncomingMatch[]) => (await accept(matches)).map(one => one.outcome);
const told = async ({ matchId }: IncomingMatch) =>
  (await pool`select user_id from notifications where aggregate_key like ${`match:${matchId}:%`} order by user_id`).map(row => row.user_id);
const announcedIn = async (join: string) =>
  (await pool`select match_id from announced_joins where join_id = ${joinOf(join)}`).map(row => row.match_id);

test("a match is consumed once: two notices, two consumed events, two announced requests, and it leaves no newest version", async () => {
  const match = matchOf("a1", "a2");
  expect(await outcomes(match)).toEqual(["accepted"]);
  expect(await outcomes(match)).toEqual(["duplicate"]);
  expect(await outcomes(match, match)).toEqual(["duplicate", "duplicate"]);
  expect(await told(match)).toEqual(["user of a1", "user of a2"]);
  const [alice] = match.notices;
  const [row] =
    await pool`select n.event_id, n.type, n.aggregate_version, n.stale, n.payload, n.traceparent, p.stream_seq, p.trace_id, p.event_type
    from notifications n join processed_events p using (event_id) where event_id = ${alice!.eventId}`;
  expect(row).toMatchObject({
    type: "MatchFound",
    aggregate_version: 1,
    stale: false,
    payload: alice!.payload,
    traceparent: alice!.traceparent,
    stream_seq: 1,
    trace_id: alice!.traceparent.split("-")[1],
    event_type: "MatchFound",
  });
  const [join] =
    await pool`select *, announced_at = ${match.occurredAt} as same_time from announced_joins where join_id = ${alice!.joinId}`;
  expect(join).toMatchObject({
    match_id: match.matchId,
    event_id: alice!.eventId,
    peer_user_ids: ["user of a2"],
    session: match.session,
    same_time: true,
  });
  expect(await pool`select from newest_versions`).toHaveLength(0);
});

test("the same match twice in a batch is one", async () => {
  const match = matchOf("b1", "b2");
  const accepted = await accept([match, match], atOnce);
  expect(accepted.map(one => [one.outcome, one.delivered.size])).toEqual([
    ["accepted", 2],
    ["duplicate", 0],
  ]);
  expect(await told(match)).toHaveLength(2);
});

test("notifications that may be delivered are SENT from the start; others are PENDING for the sender", async () => {
  const [sent, open] = [matchOf("c1", "c2"), matchOf("c3", "c4")];
  const [first] = await accept([sent], atOnce);
  expect([...first!.delivered.keys()].toSorted()).toEqual(sent.notices.map(one => one.eventId).toSorted());
  await accept([open]);
  const states = (match: IncomingMatch) =>
    pool`select status, position, attempts_made, worker, outcome from notifications left join delivery_attempts using (notification_id)
      where aggregate_key like ${`match:${match.matchId}:%`}`;
  expect([...(await states(sent))]).toEqual(
    Array.from({ length: 2 }, () => ({ status: "SENT", position: 1, attempts_made: 1, worker: "w", outcome: "sent" })),
  );
  expect([...(await states(open))]).toEqual(
    Array.from({ length: 2 }, () => ({ status: "PENDING", position: null, attempts_made: 0, worker: null, outcome: null })),
  );
});

describe("a match with a request that was announced in another match is refused as a whole", () => {
  test.each([
    ["the first player", ["x", "new"]],
    ["the second player", ["new", "x"]],
    ["both players, of one match", ["x", "y"]],
    ["both players, of two matches", ["x", "z"]],
  ] as const)("%s", async (what, [first, second]) => {
    const name = (join: string) => `${what} ${join}`;
    const [one, two] = [matchOf(name("x"), name("y")), matchOf(name("z"), name("u"))];
    expect(await outcomes(one, two)).toEqual(["accepted", "accepted"]);
    const other = matchOf(name(first), name(second));
    const [refused] = await accept([other]);
    expect(refused).toMatchObject({ outcome: "conflict", announcedIn: one.matchId });
    expect(await told(other)).toEqual([]);
    for (const join of ["x", "y"]) expect(await announcedIn(name(join))).toEqual([one.matchId]);
    expect(await announcedIn(name("new"))).toEqual([]);
    expect(
      await pool`select from processed_events where event_id = any(${other.notices.map(notice => notice.eventId)}::uuid[])`,
    ).toHaveLength(0);
    // The innocent player can be announced in the next match.
    expect(await outcomes(matchOf(name("new"), name("fresh")))).toEqual(["accepted"]);
  });

  test("and the others of its batch are consumed", async () => {
    const known = matchOf("d1", "d2");
    await outcomes(known);
    expect(await outcomes(known, matchOf("d3", "d4"), matchOf("d5", "d6"))).toEqual(["duplicate", "accepted", "accepted"]);
    expect(await outcomes(matchOf("d7", "d8"), matchOf("d2", "d9"), matchOf("da", "db"))).toEqual(["accepted", "conflict", "accepted"]);
  });
});

test("of two matches in a batch that share a request, the one that came first counts; the other waits until it can be judged", async () => {
  const [first, second, third] = [matchOf("e1", "e2"), matchOf("e2", "e3"), matchOf("e3", "e4")];
  expect(await outcomes(first, second, third)).toEqual(["accepted", "waiting", "waiting"]);
  expect(await outcomes(second, third)).toEqual(["conflict", "waiting"]);
  expect(await outcomes(third)).toEqual(["accepted"]);
  expect([await told(first), await told(second), await told(third)].map(users => users.length)).toEqual([2, 0, 2]);
});

test("the order of the stream decides, not the order in a batch", async () => {
  const [first, second] = [matchOf("f1", "f2"), matchOf("f2", "f3")];
  const arrivals = [
    { event: second, streamSeq: 8 },
    { event: first, streamSeq: 7 },
  ];
  const accepted = await acceptMatches(sql, { arrivals, keep, channel: "log", delivery: leftToSender });
  expect(accepted.map(one => one.outcome)).toEqual(["waiting", "accepted"]);
});

describe("a request that was announced too long ago does not count", () => {
  test("it is replaced, and another match with it is a conflict again", async () => {
    const old = earlier(matchOf("g1", "g2"), keep + 1000);
    expect(await outcomes(old)).toEqual(["accepted"]);
    const next = matchOf("g2", "g3");
    expect(await outcomes(next)).toEqual(["accepted"]);
    expect(await announcedIn("g2")).toEqual([next.matchId]);
    expect(await outcomes(matchOf("g2", "g4"))).toEqual(["conflict"]);
    expect(await outcomes(old)).toEqual(["duplicate"]);
  });

  test("and one at the end of its time still counts", async () => {
    expect(await outcomes(earlier(matchOf("h1", "h2"), keep - 10_000))).toEqual(["accepted"]);
    expect(await outcomes(matchOf("h2", "h3"))).toEqual(["conflict"]);
  });

  test("but it counts for a match that was made soon after or before it, however late both are consumed", async () => {
    const late = 3 * keep;
    expect(await outcomes(earlier(matchOf("o1", "o2"), late))).toEqual(["accepted"]);
    for (const apart of [1000, keep - 1000, -1000, 1000 - keep])
      expect([apart, await outcomes(earlier(matchOf("o2", `o3 ${apart}`), late - apart))]).toEqual([apart, ["conflict"]]);
    for (const apart of [keep + 1000, -keep - 1000]) {
      await outcomes(earlier(matchOf(`o4 ${apart}`, `o5 ${apart}`), late));
      expect([apart, await outcomes(earlier(matchOf(`o5 ${apart}`, `o6 ${apart}`), late - apart))]).toEqual([apart, ["accepted"]]);
    }
  });

  test("a match whose consumed events are deleted is known by its requests, and one whose requests are deleted by its events", async () => {
    const [one, two] = [matchOf("i1", "i2"), matchOf("i3", "i4")];
    await outcomes(one, two);
    await pool`delete from processed_events where event_id = any(${one.notices.map(notice => notice.eventId)}::uuid[])`;
    await pool`delete from announced_joins where match_id = ${two.matchId}`;
    expect(await outcomes(one, two)).toEqual(["duplicate", "duplicate"]);
  });
});

test("a notice that stands for another event is refused by the database, and nothing of its match is stored", async () => {
  const [one, two] = [matchOf("j1", "j2"), matchOf("j3", "j4")];
  await outcomes(one);
  const stolen = { ...two, notices: [two.notices[0]!, { ...two.notices[1]!, eventId: one.notices[0]!.eventId }] };
  expect(outcomes(stolen)).rejects.toThrow("processed_events_pkey");
  expect([await told(two), await announcedIn("j3")]).toEqual([[], []]);
});

describe("two consumers at once", () => {
  const someoneWaits = () =>
    until(
      "the second waits",
      5000,
      async () => (await pool`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).length === 1,
    );
  /** Another consumer has stored a match and commits after this one has begun to wait for it. */
  async function behind(first: IncomingMatch, second: IncomingMatch, ends: "commits" | "rolls back" = "commits") {
    const other = connect({ url: database.appUrl, name: "other", max: 1, statementTimeout: 5000 });
    const theirs = bindStatements<NotificationSql>(other, readStatements(["kernel", "notification"]), createMetrics(), 5000);
    try {
      await other`begin`;
      await acceptMatches(theirs, { arrivals: [{ event: first, streamSeq: 1 }], keep, channel: "log", delivery: leftToSender });
      const waiting = outcomes(second);
      await someoneWaits();
      if (ends === "commits") await other`commit`;
      else await other`rollback`;
      return await waiting;
    } finally {
      await other.end();
    }
  }

  test("the commit of the first makes the second a conflict, and its own innocent player stays free", async () => {
    const [first, second] = [matchOf("k1", "k2"), matchOf("k2", "k3")];
    expect(await behind(first, second)).toEqual(["conflict"]);
    expect([await told(first), await told(second)].map(users => users.length)).toEqual([2, 0]);
    expect(await outcomes(matchOf("k3", "k4"))).toEqual(["accepted"]);
  });

  test("the same match at both is a duplicate at the second", async () => {
    const match = matchOf("l1", "l2");
    expect(await behind(match, match)).toEqual(["duplicate"]);
    expect(await told(match)).toHaveLength(2);
  });

  test("if the first is rolled back, the second is consumed", async () => {
    const [first, second] = [matchOf("m1", "m2"), matchOf("m2", "m3")];
    expect(await behind(first, second, "rolls back")).toEqual(["accepted"]);
    expect([await told(first), await told(second)].map(users => users.length)).toEqual([0, 2]);
  });

  test("both replace a request that was announced too long ago: one wins", async () => {
    await outcomes(earlier(matchOf("n1", "n2"), keep + 1000));
    expect(await behind(matchOf("n2", "n3"), matchOf("n2", "n4"))).toEqual(["conflict"]);
  });

  test("a crowd of consumers with shuffled batches of matches that share requests: each request is announced once, nothing deadlocks, no match is half told", async () => {
    const names = Array.from({ length: 30 }, (_, n) => `p${n}`);
    const pick = () => names[Math.floor(Math.random() * names.length)]!;
    const matches = Array.from({ length: 60 }, () => {
      const first = pick();
      return matchOf(first, names.find(name => name !== first && Math.random() < 0.2) ?? (first === "p0" ? "p1" : "p0"));
    });
    const shuffled = () => matches.toSorted(() => Math.random() - 0.5);
    const rounds = Array.from({ length: 6 }, async () => {
      for (let round = 0; round < 5; round++)
        for (let start = 0, batch = shuffled(); start < batch.length; start += 10) await accept(batch.slice(start, start + 10));
    });
    await Promise.all(rounds);
    const tellings = await Promise.all(matches.map(told));
    expect(tellings.filter(users => users.length !== 0 && users.length !== 2)).toEqual([]);
    const announced = matches.filter((_, index) => tellings[index]!.length === 2).flatMap(match => match.notices.map(one => one.joinId));
    expect(new Set(announced).size).toBe(announced.length);
    expect(announced.length).toBeGreaterThan(4);
    // Every request of a match that was not told is announced in another one, or its peer's is.
    for (const match of matches.filter((_, index) => tellings[index]!.length === 0))
      expect(match.notices.some(one => announced.includes(one.joinId))).toBe(true);
  });
});

describe("every lookup is by an index, whatever the tables hold", () => {
  const statements = readStatements(["kernel", "notification"]);
  const plansOf = async (name: string) => {
    const text = statements.find(one => one.path.join(".") === name)!.text;
    return (await pool.unsafe(`explain (generic_plan) ${text}`)).map(row => row["QUERY PLAN"] as string).join("\n");
  };
  async function fill(rows: number): Promise<void> {
    const admin = connect({ url: database.adminUrl, name: "admin", max: 1, statementTimeout: 20_000 });
    await admin`insert into announced_joins select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now(), '{x}', gen_random_uuid()
      from generate_series(1, ${rows})`;
    await processedEvents.put(admin, {}, `generate_series(1, ${rows})`);
    await admin`analyze`;
    await admin.end();
  }
  const names = ["accept_matches", "announced", "consumed", "cleanup_announced_joins", "raw_dead_letters.unreadable"];

  test.each(names)("%s, on empty tables and on large ones", async name => {
    for (const rows of [0, 20_000]) {
      if (rows > 0) await fill(rows);
      const plan = await plansOf(name);
      expect(plan).not.toMatch(/Seq Scan|Bitmap|(Index Scan|Index Only Scan) using \w+ on \w+( \w+)?\s+\(cost[^\n]*\n(?!\s+Index Cond)/);
      expect(plan).toContain("Index");
    }
  });
});
