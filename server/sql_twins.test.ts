import { describe, expect, test } from "bun:test";
import { readStatements, type Statement } from "./kernel/postgres/statements.ts";

/**
 * Two queue tables have their own SQL files, so that each reads plainly. The statements declared here are twins: the same but for the names of the
 * table. A change of one alone fails here, until the other follows or the difference is declared with its reason.
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
  words: { outbox_events: "rows", event_id: "row_id", IN_FLIGHT: "HELD", o: "r", "outbox.retry": "row.retry" },
};
const notifications: Table = {
  system: "notification",
  folder: "notifications",
  words: { notifications: "rows", notification_id: "row_id", PROCESSING: "HELD", n: "r", "notification.retry": "row.retry" },
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
  head: [],
  oldest_lease: [],
  oldest_pending: [],
  overdue: [],
  reclaim: [],
  release: [],
  release_claims: [],
  renew: [],
  retry_now: [],
};

/** Statements of the same name that are not the same. */
const apart: Readonly<Record<string, string>> = {
  cleanup: "events are deleted by their confirmation, notifications by the time they were sent",
  depth: "each table counts states of its own",
  discard: "a notification is deleted with its attempts and its dead letter",
  find: "each table has columns of its own",
  requeue: "an event gets a new message id, a notification marks its dead letter",
};
/** The operators' lists and counts agree by construction, and have tests of their own. */
const isOfOperators = (name: string) => /^(page|counts|groups|list)/.test(name);

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

  test("every statement that both tables have is declared as a twin or as different", () => {
    const both = [...ofOutbox.keys()].filter(name => ofNotifications.has(name) && !isOfOperators(name));
    expect(both.sort()).toEqual([...Object.keys(twins), ...Object.keys(apart)].sort());
  });

  const edited = (name: string, edit: (text: string) => string): Statement => {
    const statement = ofNotifications.get(name)!;
    const text = edit(statement.text);
    expect(text).not.toBe(statement.text);
    return { ...statement, text };
  };

  test.each([
    ["a lost fence", "release", (text: string) => text.replace(" and claim_token = $1::uuid", "")],
    ["another limit", "overdue", (text: string) => text.replace("limit 50", "limit 60")],
    ["another parameter at the same place", "reclaim", (text: string) => text.replace("lease_until > $2", "lease_until > $1")],
    ["another state", "renew", (text: string) => text.replace("where ", "where status = 'PENDING' and ")],
  ])("%s of one twin is noticed", (_, name, edit) => {
    expect(driftOf(ofOutbox.get(name)!, edited(name, edit), twins[name]!)).toContain(`sql/notification/notifications/${name}.sql`);
  });

  test("another comment, layout or name of the table is no drift", () => {
    const other = edited("release", text => `${text.replace("where", "-- only its own\n  where")}`);
    expect(driftOf(ofOutbox.get("release")!, other, [])).toBeUndefined();
  });

  test("a declared difference that is gone is noticed", () => {
    const declared = [{ why: "once", outbox: "order by priority" }];
    expect(driftOf(ofOutbox.get("renew")!, ofNotifications.get("renew")!, declared)).toBe("declared, but not there: order by priority");
  });
});
