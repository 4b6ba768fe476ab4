import { describe, expect, test } from "bun:test";
import { readStatements, type Statement } from "./kernel/postgres/statements.ts";

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

/** Where twins drifted apart; undefined if they agree but for what is declared. */
function driftOf(one: Statement, other: Statement, differences: readonly Difference[]): string | undefined {
  const missing: string[] = [];
  const [left, right] = [
    without(
      normalised(one, outbox),
      differences.map(difference => difference.outbox),
      missing,
    ),
    without(
      normalised(other, notifications),
      differences.map(difference => difference.notifications),
      missing,
    ),
  ];
  if (missing.length > 0) return `declared, but not there: ${missing.join(" | ")}`;
  if (left === right) return undefined;
  const at = [...left].findIndex((character, index) => character !== right[index]);
  const from = Math.max(0, (at < 0 ? left.length : at) - 30);
  return `${one.file}: … ${left.slice(from, from + 80)} …\n${other.file}: … ${right.slice(from, from + 80)} …`;
}

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
    ["another limit", (text: string) => text.replace("limit 24", "limit 25")],
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
