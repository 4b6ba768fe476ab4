import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Asker, gateway, type TestAccounts, type TestUser, testAccounts } from "../testing/accounts.ts";
import { expectRefusal } from "../testing/refusal.ts";

let accounts: TestAccounts;
const people = new Map<string, Asker>();
beforeAll(async () => {
  accounts = await testAccounts();
  for (const [name, ...roles] of [["alice"], ["bob"], ["vera", "VIEWER"], ["otto", "OPERATOR"], ["ada", "ADMIN"]] as [
    string,
    ...string[],
  ][])
    people.set(name, await accounts.user(name, roles));
  people.set("gateway", gateway);
  // A caller with unknown roles only.
  people.set("nobody", { user_id: "01890000-0000-7000-8000-000000000000", roles: ["ROOT", "admin"] });
});
afterAll(() => accounts.close());

const idOf = (name: string) => people.get(name)!.user_id;
const everybody = ["alice", "bob", "vera", "otto", "ada", "gateway", "nobody"];

/** Who may ask what; all others get 403, and without a token everybody gets 401. `BOB` is bob's user_id. */
const cases: [what: string, method: string, path: string, body: object | undefined, allowed: Record<string, number>][] = [
  ["read bob", "GET", "/users/BOB", undefined, { bob: 200, vera: 200, otto: 200, ada: 200, gateway: 200 }],
  ["change bob", "PATCH", "/users/BOB", { display_name: "Bobby" }, { bob: 200, ada: 200 }],
  ["find by e-mail", "GET", "/admin/users?email=bob@example.com", undefined, { vera: 200, otto: 200, ada: 200 }],
  ["list users", "GET", "/admin/users", undefined, { vera: 200, otto: 200, ada: 200 }],
  ["search users", "GET", "/admin/users?search=bob", undefined, { vera: 200, otto: 200, ada: 200 }],
  ["list administrators", "GET", "/admin/users?role=ADMIN", undefined, { vera: 200, otto: 200, ada: 200 }],
  ["see the configuration", "GET", "/ops/config", undefined, { otto: 200, ada: 200 }],
  ["read bob's audit", "GET", "/admin/users/BOB/audit", undefined, { vera: 200, otto: 200, ada: 200 }],
  ["give bob roles", "PUT", "/admin/users/BOB/roles", { roles: ["USER"], reason: "r" }, { ada: 200 }],
  ["suspend bob", "POST", "/admin/users/BOB:suspend", { reason: "r" }, { ada: 200 }],
  ["restore bob", "POST", "/admin/users/BOB:restore", { reason: "r" }, { ada: 200 }],
  ["sign bob out", "POST", "/admin/users/BOB:sign-out", { reason: "r" }, { ada: 200 }],
  ["resolve an identity", "POST", "/identities:resolve", { provider: "test", subject: "bob" }, { gateway: 200 }],
];

describe.each(cases)("to %s", (_, method, path, body, allowed) => {
  const real = () => path.replace("BOB", idOf("bob"));

  test.each(everybody)("%s", async name => {
    const before = await accounts.rows();
    const answer = await accounts.ask(people.get(name), method, real(), body);
    if (allowed[name] !== undefined) return expect([name, answer.status]).toEqual([name, allowed[name]]);
    expectRefusal(answer, { status: 403, code: "FORBIDDEN" }, ["bob@example.com"]);
    return expect(await accounts.rows()).toEqual(before);
  });

  test("is refused without a token, whatever the headers are, and with an API key", async () => {
    expectRefusal(await accounts.ask(undefined, method, real(), body), { status: 401, code: "UNAUTHORIZED" });
    const headers = { authorization: "", "x-user-id": idOf("bob"), "content-type": "application/json" };
    const bare = await accounts.kenri.call("account", real(), { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    expect(bare.status).toBe(401);
    const { kenri } = accounts;
    await kenri.account().sql`insert into api_keys select * from jsonb_populate_recordset(null::api_keys, ${kenri
      .account()
      .sql.json((await kenri.entitlementSql`select to_jsonb(k) as key from api_keys k`).map(row => row.key))}) on conflict do nothing`;
    const byKey = await kenri.call("account", real(), { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    expect([byKey.status, ((await byKey.json()) as { code: string }).code]).toEqual([403, "FORBIDDEN"]);
  });
});

test("an unknown caller learns neither which users exist nor what a body should be", async () => {
  const unknown = "01890000-0000-7000-8000-00000000dead";
  const forbidden = { status: 403, code: "FORBIDDEN" };
  const alice = people.get("alice");
  const texts = await Promise.all(
    [unknown, idOf("bob")].map(async id => (await accounts.ask(alice, "GET", `/users/${id}`)).text.replace(id, "ID")),
  );
  expect(texts[0]).toBe(texts[1]!);
  expectRefusal(await accounts.ask(alice, "GET", "/users/no-uuid"), forbidden);
  expectRefusal(await accounts.ask(alice, "PATCH", `/users/${idOf("bob")}`, "{"), forbidden);
  expectRefusal(await accounts.ask(alice, "POST", `/admin/users/${unknown}:suspend`, { more: 1 }), forbidden);
});

describe("a user", () => {
  test("reads themselves", async () => {
    const alice = people.get("alice")!;
    expect(await accounts.get(alice, "GET", `/users/${alice.user_id}`)).toEqual({
      user_id: alice.user_id,
      account_status: "ACTIVE",
      roles: ["USER"],
      display_name: "alice",
      email: "alice@example.com",
      email_verified: true,
      picture: null,
      locale: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    } as TestUser);
  });

  test("changes their name and language, audited with before and after; equal values are no change", async () => {
    const alice = people.get("alice")!;
    const path = `/users/${alice.user_id}`;
    const renamed = await accounts.get(alice, "PATCH", path, { display_name: "Alice 🦊", locale: "ja-jp" });
    expect(renamed).toMatchObject({ display_name: "Alice 🦊", locale: "ja-JP" });
    const before = await accounts.rows();
    expect(await accounts.get(alice, "PATCH", path, { locale: "ja-JP" })).toEqual(renamed);
    expect(await accounts.rows()).toEqual(before);
    const [last] = await accounts.kenri.account()
      .sql`select actor, action, detail from audit_logs where user_id = ${alice.user_id} order by audit_id desc limit 1`;
    expect(last).toEqual({
      actor: alice.user_id,
      action: "user.update",
      detail: { before: { display_name: "alice", locale: null }, after: { display_name: "Alice 🦊", locale: "ja-JP" } },
    } as never);
  });

  test("who is suspended can read, but cannot change anything, not even as an ADMIN", async () => {
    const ada = people.get("ada")!;
    const eve = { ...(await accounts.user("eve", ["ADMIN"])), roles: ["USER", "ADMIN"] };
    await accounts.get(ada, "POST", `/admin/users/${eve.user_id}:suspend`, { reason: "left" });
    expect(await accounts.get(eve, "GET", `/users/${eve.user_id}`)).toMatchObject({ account_status: "SUSPENDED" });
    const before = await accounts.rows();
    const inactive = { status: 403, code: "ACCOUNT_INACTIVE" };
    expectRefusal(await accounts.ask({ ...eve, roles: ["USER"] }, "PATCH", `/users/${eve.user_id}`, { locale: "en" }), inactive);
    for (const id of [eve.user_id, idOf("bob"), "01890000-0000-7000-8000-00000000dead"]) {
      expectRefusal(await accounts.ask(eve, "PATCH", `/users/${id}`, { locale: "en" }), inactive);
      expectRefusal(await accounts.ask(eve, "POST", `/admin/users/${id}:restore`, { reason: "r" }), inactive);
      expectRefusal(await accounts.ask(eve, "PUT", `/admin/users/${id}/roles`, { roles: ["ADMIN"], reason: "r" }), inactive);
    }
    expect(await accounts.rows()).toEqual(before);
    expect((await accounts.user("eve")).account_status).toBe("SUSPENDED");
  });
});
