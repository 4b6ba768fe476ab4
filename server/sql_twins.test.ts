import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { readStatements, type Statement, sqlRoot } from "./kernel/postgres/statements.ts";

/**
 * Statements that are the same for every queue table but for names are shared (`sql/rows`). Those that differ in more have a file for each table. The
 * ones declared here are twins: nearly the same. A change of one alone fails here, until the other follows or the difference is declared with its reason.
 */
interface Table {
  readonly system: string;
  readonly folder: string;
  /** Words of this table, and the words that stand for them in the comparison. */
  readonly words: Readonly<Record<string, string>>;
}

const outbox: Table = {
  system: "entitlement",
  folder: "outbox",
  words: { outbox_events: "rows", event_id: "row_id", IN_FLIGHT: "HELD", o: "r" },
};
const notifications: Table = {
  system: "notification",
  folder: "notifications",
  words: { notifications: "rows", notification_id: "row_id", PROCESSING: "HELD", n: "r" },
};
const orders: Table = { system: "orders", folder: "orders", words: { outbox_orders: "rows", order_id: "row_id" } };

/** Text that only one of the twins has, as it stands after normalisation. */
interface Difference {
  readonly why: string;
  readonly outbox?: string;
  readonly notifications?: string;
}

const twins: Readonly<Record<string, readonly Difference[]>> = {
  claim: [
    {
      why: "events are claimed only if the stream has lost none since the worker's check",
      outbox: "and (select resend_before from outbox_stream where stream = :stream::text) is not distinct from :resend_before::timestamptz",
    },
    {
      why: "each returns the columns that its delivery needs",
      outbox: "row_id, event_type, aggregate_key, aggregate_version, payload, traceparent, attempt_count, publish_generation",
      notifications:
        "row_id, event_id, user_id, type, aggregate_key, aggregate_version, stale, payload, traceparent, channel, attempt_count",
    },
  ],
};

/** Statements of the same name that are not the same. */
const apart: Readonly<Record<string, string>> = {
  cleanup: "events are deleted by their confirmation, notifications by the time they were sent",
  depth: "each table counts states of its own",
  find: "each table has columns of its own",
  requeue: "an event gets a new message id, a notification marks its dead letter",
};
const isShared = ({ file }: Statement) => file.startsWith("sql/rows/");

/** The statement without its comments, with parameters and the table's words by their common names. */
function normalised({ text, parameters }: Pick<Statement, "text" | "parameters">, { words }: Table): string {
  const word = (name: string) => words[name] ?? name;
  return text
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/\$(\d+)/g, (_, position) => `:${parameters[Number(position) - 1]!.name}`)
    .replaceAll(/'[\w.]+'|\w+/g, name => (name.startsWith("'") ? `'${word(name.slice(1, -1))}'` : word(name)))
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Takes the declared text out, everywhere; what is declared and not there is reported. */
function without(text: string, declared: readonly (string | undefined)[], missing: string[]): string {
  return declared.reduce<string>((rest, part) => {
    if (part === undefined) return rest;
    if (!rest.includes(part)) missing.push(part);
    return rest.replaceAll(part, "").replaceAll(/\s+/g, " ");
  }, text);
}

/** One of two texts that should be the same: normalised, with the text that only this one may have. */
interface Side {
  readonly file: string;
  readonly text: string;
  readonly declared: readonly (string | undefined)[];
}

/** Where two texts drifted apart; undefined if they agree but for what is declared. */
function driftBetween(one: Side, other: Side): string | undefined {
  const missing: string[] = [];
  const [left, right] = [without(one.text, one.declared, missing), without(other.text, other.declared, missing)];
  if (missing.length > 0) return `declared, but not there: ${missing.join(" | ")}`;
  if (left === right) return undefined;
  const at = [...left].findIndex((character, index) => character !== right[index]);
  const from = Math.max(0, (at < 0 ? left.length : at) - 30);
  return `${one.file}: … ${left.slice(from, from + 80)} …\n${other.file}: … ${right.slice(from, from + 80)} …`;
}

const driftOf = (one: Statement, other: Statement, differences: readonly Difference[]) =>
  driftBetween(
    { file: one.file, text: normalised(one, outbox), declared: differences.map(difference => difference.outbox) },
    { file: other.file, text: normalised(other, notifications), declared: differences.map(difference => difference.notifications) },
  );

const statementsOf = ({ system, folder }: Table) =>
  new Map(
    readStatements([system])
      .filter(({ path }) => path.length === 2 && path[0] === folder)
      .map(statement => [statement.path[1]!, statement]),
  );
const [ofOutbox, ofNotifications] = [statementsOf(outbox), statementsOf(notifications)];

describe("SQL twins", () => {
  test.each(Object.entries(twins))("%s is the same statement on both tables, but for what is declared", (name, differences) => {
    expect(driftOf(ofOutbox.get(name)!, ofNotifications.get(name)!, differences)).toBeUndefined();
  });

  test("every statement that both tables have as a file of their own is declared as a twin or as different", () => {
    const both = [...ofOutbox]
      .filter(([name, one]) => [one, ofNotifications.get(name)].every(its => its && !isShared(its)))
      .map(([name]) => name);
    expect(both.sort()).toEqual([...Object.keys(twins), ...Object.keys(apart)].sort());
  });

  const edited = (name: string, edit: (text: string) => string): Statement => {
    const statement = ofNotifications.get(name)!;
    const text = edit(statement.text);
    expect(text).not.toBe(statement.text);
    return { ...statement, text };
  };

  test.each([
    ["a lost condition", (text: string) => text.replace(" and next_retry_at <= now()", "")],
    ["another limit", (text: string) => text.replace("limit 15", "limit 16")],
    ["another parameter at the same place", (text: string) => text.replace("limit $3::int", "limit $6::int")],
    ["another state", (text: string) => text.replace("status in ('PENDING', 'PROCESSING')", "status in ('PENDING')")],
  ])("%s of one twin is noticed", (_, edit) => {
    expect(driftOf(ofOutbox.get("claim")!, edited("claim", edit), twins.claim!)).toContain("sql/notification/notifications/claim.sql");
  });

  test("another comment, layout or name of the table is no drift", () => {
    const other = edited("claim", text => text.replace("where status", "-- only its own\n  where status"));
    expect(driftOf(ofOutbox.get("claim")!, other, twins.claim!)).toBeUndefined();
  });

  test("a declared difference that is gone is noticed", () => {
    const declared = [{ why: "once", outbox: "order by priority" }];
    expect(driftOf(ofOutbox.get("claim")!, ofNotifications.get("claim")!, declared)).toBe("declared, but not there: order by priority");
  });
});

/** What a table's requeue.sql does to the rows of `target`, its `requeued` in rows.psql does in bulk. */
interface BulkDifference {
  readonly why: string;
  readonly single?: string;
  readonly bulk: string;
}

const ofEveryBulk: readonly BulkDifference[] = [
  { why: "a bulk action takes the rows of its batch", single: ":row_id::uuid[]", bulk: "array(select subject from batch)" },
  { why: "it does not wait for rows that somebody else has locked", bulk: "skip locked" },
];
const withDetail: readonly BulkDifference[] = [
  { why: "the audit names the operation", bulk: ", detail" },
  { why: "the same", bulk: ", jsonb_build_object('operation_id', operation_id)" },
];
const requeues: readonly [Table, readonly BulkDifference[]][] = [
  [outbox, [...ofEveryBulk, { why: "the audit names the operation", bulk: ", 'operation_id', operation_id" }]],
  [notifications, [...ofEveryBulk, ...withDetail]],
  [orders, [...ofEveryBulk, ...withDetail]],
];

/** Where the requeue of one row and the one in bulk drifted apart. Actor and reason are parameters of the one, and columns of the operation in the other. */
function requeueDrift(single: Statement, bulk: Statement, table: Table, differences: readonly BulkDifference[]): string | undefined {
  const [one] = /target as .*\)(?= select [\w, ]+ from back$)/.exec(normalised(single, table)) ?? [];
  const [many] = /target as .*?\)(?=, settled as)/.exec(normalised(bulk, table)) ?? [];
  return driftBetween(
    { file: single.file, text: one!.replaceAll(/:(?=(actor|reason)\b)/g, ""), declared: differences.map(difference => difference.single) },
    {
      file: bulk.file,
      text: many!.replaceAll(/, operation\b| from operation o\b|\bo\.(?=(actor|reason)\b)/g, ""),
      declared: differences.map(difference => difference.bulk),
    },
  );
}

test("the requeues of every queue table are compared", () => {
  const bound = [...new Bun.Glob("*/*/rows.psql").scanSync(sqlRoot)].map(dirname);
  expect(bound.sort()).toEqual(requeues.map(([{ system, folder }]) => join(system, folder)).sort());
});

describe.each(requeues)("requeues of $folder", (table, differences) => {
  const single = statementsOf(table).get("requeue")!;
  const bulk = readStatements([table.system]).find(({ path }) => path.join(".") === "bulk.requeue")!;

  test("in bulk change what a single one changes", () => {
    expect(isShared(bulk)).toBe(true);
    expect(requeueDrift(single, bulk, table, differences)).toBeUndefined();
  });

  test.each([
    ["a lost value", /, next_\w+_at = now\(\)/, ""],
    ["another state", /set status = '(PENDING|pending)'/, "set status = 'SENT'"],
    ["another condition", /(and )(status = 'FAILED'|order_is_requeueable)/, "$1 not $2"],
    ["a swapped actor", /select actor, '/, "select reason, '"],
  ])("notice %s", (_, part, replacement) => {
    const text = bulk.text.replace(part, replacement);
    expect(text).not.toBe(bulk.text);
    expect(requeueDrift(single, { ...bulk, text }, table, differences)).toContain("sql/rows/bulk/requeue.sql of ");
  });
});
