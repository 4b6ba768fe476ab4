import { describe, expect, test } from "bun:test";
import { ConfigError, listSettings, type Setting } from "./kernel/config/config.ts";
import { type RowKind, stateThat } from "./kernel/operator/row_kind.ts";
import { readBindings } from "./kernel/postgres/shared_statements.ts";
import { sqlRoot } from "./kernel/postgres/statements.ts";
import { signingProblems } from "./kernel/system/role_problems.ts";
import { natsPermissionsOf, needsOf, rolesOf, takesKeys, workersOf } from "./kernel/system/system.ts";
import { allRoles, allScopes, allSettings, settingsFor, systemOf, systems } from "./systems.ts";

const keys = [{ id: "k", secret: "s".repeat(32) }];
const signing = ["entitlement:api", "entitlement:relay", "notification:api", "notification:consumer", "matchmaking:relay"];

/** What is wrong for this role when nothing but these variables is set. */
function problemsOf(role: string, environment: Record<string, string> = {}): string[] {
  try {
    settingsFor([role], { KENRI_ENV: "test", ...environment });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

test("a role that can be paused is a worker of its system, which serves operators, and says what a pause means in sentences", () => {
  const pausable = systems.flatMap(system => (system.pausable ?? []).map(one => ({ ...one, system })));
  expect(pausable.map(({ role }) => role).toSorted()).toEqual([
    "entitlement:relay",
    "matchmaking:matcher",
    "matchmaking:relay",
    "notification:consumer",
    "notification:sender",
    "orders:sender",
  ]);
  for (const { role, means, system } of pausable) {
    expect([role, workersOf(system).includes(role), system.serves.includes("operators")]).toEqual([role, true, true]);
    expect(means).toMatch(/^[A-Z].*\.$/);
  }
});

const rowKinds: readonly RowKind[] = systems.flatMap(system => system.rowKinds ?? []);

test.each(rowKinds)("the row kind $name has each state once, and one for each meaning that the lists need", ({ states }) => {
  expect(new Set(states.map(({ name }) => name)).size).toBe(states.length);
  expect(states.map(({ meaning }) => meaning).sort()).toEqual(["done", "failed", "held", "retrying", "waiting"]);
});

test.each(rowKinds)("the row kind $name names a derived state and its waiting rows as the database's filter does", kind => {
  const derived = kind.states
    .filter(({ isDerived }) => isDerived)
    .map(({ meaning, name }) => [meaning, name, stateThat(kind, "waiting").name]);
  expect(derived.length === 0 ? [["retrying", "RETRYING", "PENDING"]] : derived).toEqual([["retrying", "RETRYING", "PENDING"]]);
});

test.each(rowKinds)("the row kind $name has the states and names that its SQL is bound to", ({ system, name, id, audited, states }) => {
  const { own, ofAll } = readBindings(system, name, sqlRoot);
  const bound = new Map([...ofAll, ...own]);
  expect(Object.fromEntries(states.map(state => [state.meaning, bound.get(state.meaning)]))).toEqual(
    Object.fromEntries(states.map(state => [state.meaning, state.name])),
  );
  expect([bound.get("id"), bound.get("kind"), bound.get("audited")]).toEqual([id, name, audited]);
});

describe.each(allRoles)("%s", role => {
  const system = systemOf(role);
  const ownerUrl = `${system.name.toUpperCase()}_DATABASE_URL`;
  const missingOwner = `${ownerUrl} is not set: ${role} works as the owner of the database`;

  test("starts in production without signing keys only if it signs and verifies nothing", () => {
    const problems = signingProblems({ environment: "production", signingKeys: undefined }, systems, [role]);
    expect(problems).toHaveLength(signing.includes(role) ? 1 : 0);
    for (const problem of problems) expect(problem).toMatch(/^EVENT_SIGNING_KEYS is not set: .*; set it to <id>:<secret of at least 32 /);
    expect(signingProblems({ environment: "production", signingKeys: keys }, systems, [role])).toEqual([]);
    expect(signingProblems({ environment: "development", signingKeys: undefined }, systems, [role])).toEqual([]);
  });

  test("is refused without the owner's URL exactly if it needs that", () => {
    const isOwner = role.endsWith(":migrate") || role === "entitlement:janitor";
    expect(needsOf(system, role).includes("owner")).toBe(isOwner);
    expect(problemsOf(role).includes(missingOwner)).toBe(isOwner);
    expect(problemsOf(role, { [ownerUrl]: "postgres://owner:x@db/x" })).not.toContain(missingOwner);
  });

  test("has a NATS URL of its own exactly if it has permissions at NATS, and is refused without any", () => {
    const usesNats = natsPermissionsOf(system, role) !== undefined;
    expect(role in (system.settings.natsUrls ?? {})).toBe(usesNats);
    expect(problemsOf(role).some(problem => problem.includes(`${role} needs NATS`))).toBe(usesNats);
  });
});

describe("the declarations", () => {
  test("name each system, role and scope once", () => {
    for (const names of [systems.map(({ name }) => name), allRoles, allScopes]) expect(new Set<string>(names).size).toBe(names.length);
    expect(systems.flatMap(rolesOf)).toEqual([...allRoles]);
  });

  test("have scopes and row kinds only if they serve machines or operators", () => {
    for (const system of systems) {
      const { name, scopes = [], rowKinds = [], database, serves } = system;
      expect([name, scopes.length === 0 || takesKeys(system)]).toEqual([name, true]);
      expect([name, rowKinds.length === 0 || (database && serves.includes("operators"))]).toEqual([name, true]);
      expect(rowKinds.filter(kind => kind.system !== name)).toEqual([]);
    }
  });

  test("share one declaration of a variable that several systems read", () => {
    const declared = new Map<string, Setting<unknown>>();
    const twice = Object.values(allSettings)
      .flatMap(listSettings)
      .filter(setting => {
        const first = declared.get(setting.variable) ?? setting;
        declared.set(setting.variable, first);
        return first !== setting;
      });
    expect(twice.map(({ variable }) => variable)).toEqual([]);
    const read = Object.values(allSettings).flatMap(listSettings).length;
    expect(read).toBeGreaterThan(declared.size); // some are shared
  });

  test("a role that none declares is refused by name", () => {
    expect(() => systemOf("billing:api")).toThrow("there is no role billing:api; there are entitlement:migrate, ");
    expect(() => systemOf("account:relay")).toThrow("there is no role account:relay");
  });
});
