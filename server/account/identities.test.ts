import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestAccounts, type TestUser, testAccounts } from "../testing/accounts.ts";

let accounts: TestAccounts;
beforeAll(async () => {
  accounts = await testAccounts({ DATABASE_CONNECTIONS: "16" });
});
afterAll(() => accounts.close());

const resolve = async (identity: Record<string, unknown>) => {
  const { status, text } = await accounts.resolve(identity);
  return { status, ...(JSON.parse(text) as TestUser) };
};
const audit = (user_id: string) =>
  accounts.kenri.account().sql`select actor, action, reason, detail from audit_logs where user_id = ${user_id} order by audit_id`;
const stored = async (user_id: string) =>
  (await accounts.kenri.account().sql`select email, email_verified, picture, display_name from users where user_id = ${user_id}`)[0];

describe("a first sign-in", () => {
  test("creates a user from the claims of the provider", async () => {
    const identity = {
      provider: "idp",
      subject: "1",
      email: "ann@example.com",
      email_verified: true,
      name: "Ann",
      picture: "https://x.example/a.png",
    };
    const made = await resolve(identity);
    expect(made).toEqual({
      status: 200,
      user_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      account_status: "ACTIVE",
      roles: ["USER"],
      display_name: "Ann",
      email: "ann@example.com",
    } as never);
    expect(await audit(made.user_id)).toEqual([
      {
        actor: "gateway",
        action: "user.create",
        reason: null,
        detail: {
          before: null,
          after: {
            provider: "idp",
            subject: "1",
            display_name: "Ann",
            email: "ann@example.com",
            email_verified: true,
            picture: "https://x.example/a.png",
            roles: ["USER"],
          },
        },
      },
    ] as never);
    expect(await resolve(identity)).toEqual(made);
    expect(await audit(made.user_id)).toHaveLength(1);
  });

  test("needs no more than provider and subject", async () => {
    for (const [subject, rest] of [
      ["bare", {}],
      ["nulls", { email: null, email_verified: null, name: null, picture: null, roles: null }],
      ["blanks", { email: "", name: " ", picture: "", email_verified: true }],
    ] as const) {
      const made = await resolve({ provider: "idp", subject, ...rest });
      expect(made).toMatchObject({ status: 200, roles: ["USER"], display_name: null, email: null });
      expect(await stored(made.user_id)).toMatchObject({ email_verified: false, picture: null });
    }
  });

  test("is not refused for a long name or a picture that is no web address", async () => {
    const made = await resolve({ provider: "idp", subject: "odd", name: "🦊".repeat(150), picture: "javascript:alert(1)" });
    expect(made.display_name).toBe("🦊".repeat(100));
    expect(await stored(made.user_id)).toMatchObject({ picture: null });
  });

  test("sets the known roles and USER; later sign-ins do not change roles", async () => {
    const identity = { provider: "idp", subject: "seeded", roles: ["ADMIN", "offline_access", "GATEWAY", "VIEWER", "ADMIN"] };
    expect((await resolve(identity)).roles).toEqual(["USER", "VIEWER", "ADMIN"]);
    expect((await resolve({ ...identity, roles: ["OPERATOR"] })).roles).toEqual(["USER", "VIEWER", "ADMIN"]);
  });

  test("of one subject at two providers creates two users, also with the same e-mail address", async () => {
    const [one, two] = await Promise.all(
      ["idp-a", "idp-b"].map(provider => resolve({ provider, subject: "same", email: "same@example.com", email_verified: true })),
    );
    expect(one?.user_id).not.toBe(two?.user_id);
  });
});

test("fifty concurrent first sign-ins of one identity create one user and nothing else", async () => {
  for (let round = 0; round < 5; round++) {
    const before = await accounts.rows();
    const identity = { provider: "idp", subject: `crowd-${round}`, name: "Crowd", email: "crowd@example.com", roles: ["VIEWER"] };
    const answers = await Promise.all(Array.from({ length: 50 }, () => accounts.resolve(identity)));
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
    expect(await accounts.rows()).toEqual({
      users: before.users! + 1,
      identities: before.identities! + 1,
      account_roles: before.account_roles! + 2,
      audit_logs: before.audit_logs! + 1,
    });
  }
  const [orphans] = await accounts.kenri.account()
    .sql`select count(*) as rows from users u where not exists (select from identities i where i.user_id = u.user_id)`;
  expect(orphans?.rows).toBe(0);
});

describe("a later sign-in", () => {
  const identity = {
    provider: "idp",
    subject: "returning",
    email: "old@example.com",
    email_verified: false,
    name: "Rita",
    picture: "https://x.example/1",
  };

  test("is one round trip and refreshes changed claims, audited; the display name stays", async () => {
    const { user_id } = await resolve(identity);
    const asked = () => accounts.kenri.metric("account", "kenri_sql_seconds_count", 'statement="identities_resolve"');
    const before = await asked();
    const again = await resolve({ ...identity, email: "new@example.com", email_verified: true, name: "Other" });
    expect((await asked()) - before).toBe(1);
    expect(again).toMatchObject({ user_id, email: "new@example.com", display_name: "Rita" });
    expect(await stored(user_id)).toMatchObject({ email: "new@example.com", email_verified: true, picture: identity.picture });
    expect((await audit(user_id)).at(-1)).toEqual({
      actor: "gateway",
      action: "user.refresh",
      reason: null,
      detail: {
        before: { email: "old@example.com", email_verified: false, picture: identity.picture },
        after: { email: "new@example.com", email_verified: true, picture: identity.picture },
      },
    } as never);
  });

  test("keeps values that the provider does not send; an address is unverified unless the provider says otherwise", async () => {
    const { user_id } = await resolve({ provider: "idp", subject: "returning" });
    expect(await stored(user_id)).toMatchObject({ email: "new@example.com", email_verified: true, picture: identity.picture });
    await resolve({ provider: "idp", subject: "returning", email: "third@example.com" });
    expect(await stored(user_id)).toMatchObject({ email: "third@example.com", email_verified: false });
  });

  test("by many callers at once with the same change is audited once", async () => {
    const { user_id } = await resolve({ provider: "idp", subject: "returning" });
    const before = (await audit(user_id)).length;
    const news = { provider: "idp", subject: "returning", email: "fourth@example.com", picture: "https://x.example/2" };
    const answers = await Promise.all(Array.from({ length: 30 }, () => resolve(news)));
    expect(new Set(answers.map(answer => answer.email))).toEqual(new Set(["fourth@example.com"]));
    expect((await audit(user_id)).length - before).toBe(1);
  });
});

test("the path is the one with the colon, also encoded, and only for POST", async () => {
  const ask = (method: string, path: string) =>
    accounts.ask({ user_id: "gateway", roles: ["GATEWAY"] }, method, path, { provider: "p", subject: "s" });
  expect((await ask("POST", "/identities%3Aresolve")).status).toBe(200);
  expect((await ask("POST", "/identitiesX")).status).toBe(404);
  expect((await ask("POST", "/identities/~resolve")).status).toBe(404);
  expect((await ask("PUT", "/identitiesX")).status).toBe(404);
  const put = await ask("PUT", "/identities:resolve");
  expect([put.status, put.headers.get("allow")]).toEqual([405, "POST"]);
  const { paths } = await accounts.get<{ paths: object }>({ user_id: "x", roles: [] }, "GET", "/openapi.json");
  expect(Object.keys(paths).toSorted()).toEqual([
    "/admin/erasures/{user_id}",
    "/admin/users",
    "/admin/users/{user_id}/audit",
    "/admin/users/{user_id}/roles",
    "/admin/users/{user_id}:erase",
    "/admin/users/{user_id}:restore",
    "/admin/users/{user_id}:sign-out",
    "/admin/users/{user_id}:suspend",
    "/erasures",
    "/erasures/{pseudonym}",
    "/identities:resolve",
    "/ops/config",
    "/users/{user_id}",
  ]);
});
