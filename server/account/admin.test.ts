import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import postgres from "postgres";
import { type Asker, type TestAccounts, type TestUser, testAccounts } from "../testing/accounts.ts";
import { expectRefusal } from "../testing/refusal.ts";

let accounts: TestAccounts;
let ada: Asker;
beforeAll(async () => {
  accounts = await testAccounts();
  ada = await accounts.user("ada", ["ADMIN"]);
});
afterAll(() => accounts.close());

interface Entry {
  readonly audit_id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly user_id: string;
  readonly reason: string | null;
  readonly detail: { readonly before: object | null; readonly after: object };
}
const unknown = "01890000-0000-7000-8000-00000000dead";
const post = (id: string, verb: string, reason = "r", as = ada) => accounts.ask(as, "POST", `/admin/users/${id}:${verb}`, { reason });
const put = (id: string, roles: readonly string[], reason = "r", as = ada) =>
  accounts.ask(as, "PUT", `/admin/users/${id}/roles`, { roles, reason });
const auditOf = async (id: string, query = "") =>
  accounts.get<{ user_id: string; audit: Entry[]; next_cursor?: string }>(ada, "GET", `/admin/users/${id}/audit${query}`);
const find = (id: string) => accounts.get(ada, "GET", `/users/${id}`);
const userOf = ({ status, text }: { status: number; text: string }) => ({ status, ...(JSON.parse(text) as TestUser) });

describe("suspend and restore", () => {
  test("change the status, audited with actor, reason, before and after", async () => {
    const { user_id } = await accounts.user("sam");
    const suspended = userOf(await post(user_id, "suspend", "chargeback 🦊"));
    expect(suspended).toMatchObject({ status: 200, user_id, account_status: "SUSPENDED", display_name: "sam", roles: ["USER"] });
    expect({ status: 200, ...(await find(user_id)) }).toEqual(suspended);
    expect(userOf(await post(user_id, "restore", "paid"))).toMatchObject({ status: 200, account_status: "ACTIVE" });
    const { audit } = await auditOf(user_id);
    const status = (account_status: string) => ({ account_status });
    const entry = { audit_id: expect.any(String), at: expect.stringMatching(/Z$/), actor: ada.user_id, user_id };
    expect(audit.slice(0, 2)).toEqual([
      { ...entry, action: "user.restore", reason: "paid", detail: { before: status("SUSPENDED"), after: status("ACTIVE") } },
      { ...entry, action: "user.suspend", reason: "chargeback 🦊", detail: { before: status("ACTIVE"), after: status("SUSPENDED") } },
    ]);
    expect(audit.map(one => one.action)).toEqual(["user.restore", "user.suspend", "user.create"]);
  });

  test("answer 409 for the current status and 404 for an unknown user, and write nothing", async () => {
    const { user_id } = await accounts.user("tom");
    const before = await accounts.rows();
    expectRefusal(await post(user_id, "restore"), { status: 409, code: "ACCOUNT_STATE_CONFLICT" });
    expectRefusal(await post(unknown, "suspend"), { status: 404, code: "NOT_FOUND" });
    expectRefusal(await post(unknown, "restore"), { status: 404, code: "NOT_FOUND" });
    expect(await accounts.rows()).toEqual(before);
  });

  test("a sign-out everywhere is audited with actor and reason", async () => {
    const { user_id } = await accounts.user("sue");
    expect(userOf(await post(user_id, "sign-out", "lost phone"))).toMatchObject({ status: 200, user_id });
    expect((await auditOf(user_id)).audit[0]).toMatchObject({ action: "user.sign-out", actor: ada.user_id, reason: "lost phone" });
    expectRefusal(await post(unknown, "sign-out"), { status: 404, code: "NOT_FOUND" });
  });

  test("of two ADMINs who suspend or demote each other at once, only one succeeds", async () => {
    for (let round = 0; round < 5; round++) {
      const [one, two] = [await accounts.user(`one-${round}`, ["ADMIN"]), await accounts.user(`two-${round}`, ["ADMIN"])];
      const pairs = [
        [one, two],
        [two, one],
      ] as const;
      const act = ([actor, target]: (typeof pairs)[number]) =>
        round % 2 === 0 ? post(target.user_id, "suspend", "r", actor) : put(target.user_id, [], "r", actor);
      expect((await Promise.all(pairs.map(act))).map(answer => answer.status).sort()).toEqual([200, 403]);
    }
  });

  test("by many callers at once happens once", async () => {
    const { user_id } = await accounts.user("una");
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(user_id, "suspend")));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
    expect((await auditOf(user_id)).audit).toHaveLength(2);
  });

  test("nobody can suspend themselves, in any spelling of their id", async () => {
    for (const id of [ada.user_id, ada.user_id.toUpperCase()])
      expectRefusal(await post(id, "suspend"), { status: 409, code: "OWN_ACCOUNT" });
    expect((await find(ada.user_id)).account_status).toBe("ACTIVE");
  });

  test("show at the next sign-in", async () => {
    const { user_id } = await accounts.user("vic");
    await post(user_id, "suspend");
    expect((await accounts.user("vic")).account_status).toBe("SUSPENDED");
  });
});

describe("roles", () => {
  test("are exactly those given and USER, audited; the same again is no change", async () => {
    const { user_id } = await accounts.user("wes", ["VIEWER"]);
    const given = userOf(await put(user_id, ["ADMIN", "OPERATOR", "ADMIN"], "promoted"));
    expect(given).toMatchObject({ status: 200, roles: ["USER", "OPERATOR", "ADMIN"] });
    expect(userOf(await put(user_id, ["OPERATOR", "ADMIN", "USER"]))).toEqual(given);
    expect({ status: 200, ...(await find(user_id)) }).toEqual(given);
    expect(userOf(await put(user_id, [], "left the team")).roles).toEqual(["USER"]);
    expect((await accounts.user("wes")).roles).toEqual(["USER"]);
    const roles = (...names: string[]) => ({ roles: names });
    expect(
      (await auditOf(user_id)).audit.slice(0, -1).map(({ actor, action, reason, detail }) => ({ actor, action, reason, detail })),
    ).toEqual([
      {
        actor: ada.user_id,
        action: "user.roles",
        reason: "left the team",
        detail: { before: roles("USER", "OPERATOR", "ADMIN"), after: roles("USER") },
      },
      {
        actor: ada.user_id,
        action: "user.roles",
        reason: "promoted",
        detail: { before: roles("USER", "VIEWER"), after: roles("USER", "OPERATOR", "ADMIN") },
      },
    ]);
  });

  test("of an unknown user are 404; nobody can take ADMIN from themselves, but they can add roles", async () => {
    const before = await accounts.rows();
    expectRefusal(await put(unknown, ["USER"]), { status: 404, code: "NOT_FOUND" });
    expectRefusal(await put(ada.user_id, ["OPERATOR"]), { status: 409, code: "OWN_ACCOUNT" });
    expectRefusal(await put(ada.user_id.toUpperCase(), []), { status: 409, code: "OWN_ACCOUNT" });
    expect(await accounts.rows()).toEqual(before);
    expect(userOf(await put(ada.user_id, ["ADMIN", "VIEWER"])).roles).toEqual(["USER", "VIEWER", "ADMIN"]);
  });

  test("set by several callers at once are those of one of them, and the audit is a chain", async () => {
    const { user_id } = await accounts.user("xia");
    const sets = [["VIEWER"], ["OPERATOR"], ["ADMIN"], ["VIEWER", "ADMIN"], []];
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(sets.map(roles => put(user_id, roles)));
      expect(answers.map(({ status }) => status)).toEqual(sets.map(() => 200));
    }
    const steps = (await auditOf(user_id)).audit.map(({ detail }) => detail as { before: TestUser | null; after: TestUser });
    expect(steps[0]!.after.roles).toEqual((await find(user_id)).roles);
    for (const [n, { before }] of steps.slice(0, -1).entries()) expect(before?.roles).toEqual(steps[n + 1]!.after.roles);
  });
});

describe("lists", () => {
  test("the audit comes in pages, newest first, complete and without repeats", async () => {
    const { user_id } = await accounts.user("yan");
    for (let n = 0; n < 3; n++) for (const verb of ["suspend", "restore"]) await post(user_id, verb, `${verb} ${n}`);
    const seen: Entry[] = [];
    let page = await auditOf(user_id, "?limit=3");
    for (;;) {
      seen.push(...page.audit);
      if (!page.next_cursor) break;
      page = await auditOf(user_id, `?limit=3&cursor=${page.next_cursor}`);
    }
    expect(seen.map(one => one.reason)).toEqual(["restore 2", "suspend 2", "restore 1", "suspend 1", "restore 0", "suspend 0", null]);
    expect(seen.map(one => one.at)).toEqual(
      seen
        .map(one => one.at)
        .toSorted()
        .reverse(),
    );
    expectRefusal(await accounts.ask(ada, "GET", `/admin/users/${unknown}/audit`), { status: 404, code: "NOT_FOUND" });
    const other = (await accounts.user("zoe")).user_id;
    const { next_cursor } = await auditOf(user_id, "?limit=1");
    expectRefusal(await accounts.ask(ada, "GET", `/admin/users/${other}/audit?cursor=${next_cursor}`), {
      status: 400,
      code: "INVALID_REQUEST",
    });
  });

  test("users are found by their whole e-mail address, in pages, newest first", async () => {
    const ids: string[] = [];
    for (const provider of ["a", "b", "c"]) {
      const { text } = await accounts.resolve({ provider, subject: "twin", email: "Twin+1@Example.com" });
      ids.unshift((JSON.parse(text) as TestUser).user_id);
    }
    interface Page {
      readonly users: TestUser[];
      readonly next_cursor?: string;
    }
    const path = `/admin/users?email=${encodeURIComponent("twin+1@example.COM")}`;
    const first = await accounts.get<Page>(ada, "GET", `${path}&limit=2`);
    const second = await accounts.get<Page>(ada, "GET", `${path}&limit=2&cursor=${first.next_cursor}`);
    expect([...first.users, ...second.users].map(one => one.user_id)).toEqual(ids);
    expect(second.next_cursor).toBeUndefined();
    expect(first.users[0]).toEqual(await find(ids[0]!));
    for (const email of ["twin+1@example.co", "twin%", "_win+1@example.com"])
      expect((await accounts.get<Page>(ada, "GET", `/admin/users?email=${encodeURIComponent(email)}`)).users).toEqual([]);
  });
});

describe("the app role", () => {
  let app: postgres.Sql;
  beforeAll(() => {
    app = postgres(accounts.kenri.account().database.appUrl, { max: 1, onnotice: () => {} });
  });
  afterAll(() => app.end());

  test.each([
    "update audit_logs set actor = 'x'",
    "delete from audit_logs",
    "truncate audit_logs",
    "delete from users",
    "update identities set user_id = user_id",
    "delete from identities",
    "update account_roles set role = 'ADMIN'",
    "alter table audit_logs add column loot int",
    "create table loot (a int)",
  ])("may not: %s", async statement => {
    const error = await app.unsafe(statement).then(
      () => undefined,
      reason => reason as { code: string },
    );
    expect(error?.code).toBe("42501");
  });
});

describe("the tables refuse", () => {
  test.each([
    ["a status that is none", "update users set account_status = 'GONE'", "23514"],
    ["a blank name", "update users set display_name = ' '", "23514"],
    ["a picture that is no web address", "update users set picture = 'javascript:x'", "23514"],
    ["a verified e-mail that is none", "update users set email = null, email_verified = true", "23514"],
    ["a role that is none", "update account_roles set role = 'GATEWAY'", "23514"],
    ["a role twice", "insert into account_roles select user_id, role from account_roles", "23505"],
    ["an identity twice", "insert into identities select * from identities", "23505"],
    ["an identity of nobody", `insert into identities values ('p', 's', '${unknown}')`, "23503"],
    ["a suspension without a reason", "update audit_logs set reason = null where action = 'user.suspend'", "23514"],
    ["an audit row without before and after", "update audit_logs set detail = '{}'", "23514"],
    ["a user away from their audit", "delete from users", "23503"],
  ])("%s", async (_, statement, code) => {
    const error = await accounts.kenri
      .account()
      .sql.unsafe(statement)
      .then(
        () => undefined,
        reason => reason as { code: string },
      );
    expect(error?.code).toBe(code);
  });
});
