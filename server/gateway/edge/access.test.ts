import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type Person, signedIn, testBrowser } from "../../testing/browser.ts";
import { entitlements } from "../../testing/entitlement_rows.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { quoted } from "../../testing/rows.ts";

let kenri: TestKenri;
let gateway: TestGateway;
const people: Record<string, Person> = {};
beforeAll(async () => {
  kenri = await testKenri();
  const place = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api", place.forServices);
  gateway = await startGateway(kenri, place);
  for (const name of ["alice", "bob", "admin", "viewer"]) people[name] = await signedIn(gateway, name);
});
afterAll(() => kenri.close());

/** What one gets for a request: the status and the body. */
async function asks(name: string, method: string, path: string, body?: unknown) {
  const browser = people[name]!;
  const response = method === "GET" ? await browser.fetch(`${gateway.url}${path}`) : await browser.send(gateway.url, method, path, body);
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text || "{}") as Record<string, unknown> };
}

describe("a user", () => {
  test("reads and changes their own account", async () => {
    const path = `/v1/users/${people.alice!.userId}`;
    expect((await asks("alice", "GET", path)).body).toMatchObject({ user_id: people.alice!.userId, email: "alice@example.test" });
    expect(await asks("alice", "PATCH", path, { display_name: "Alice A.", locale: "ja-JP" })).toMatchObject({
      status: 200,
      body: { display_name: "Alice A.", locale: "ja-JP" },
    });
    expect((await asks("alice", "GET", "/v1/me")).body).toMatchObject({ display_name: "Alice A." });
  });

  test("cannot read or change another user's account or profile, and learns nothing else", async () => {
    const path = `/v1/users/${people.bob!.userId}`;
    expect(await asks("alice", "GET", path)).toMatchObject({ status: 403, body: { code: "FORBIDDEN", instance: path } });
    expect(await asks("alice", "PATCH", path, { display_name: "Bob, says Alice" })).toMatchObject({ status: 403 });
    expect(await asks("alice", "GET", `${path}/profile`)).toMatchObject({ status: 403, body: { code: "PROFILE_FORBIDDEN" } });
    expect((await asks("bob", "GET", path)).body.display_name).toContain("Bob");
  });

  test("cannot use the console's API", async () => {
    const path = `/admin/api/users/${people.bob!.userId}`;
    for (const [method, rest] of [
      ["POST", "/suspend"],
      ["POST", "/restore"],
      ["POST", "/sign-out"],
      ["PUT", "/roles"],
      ["GET", "/audit"],
    ] as const)
      expect([rest, (await asks("alice", method, `${path}${rest}`, { reason: "x", roles: ["ADMIN"] })).status]).toEqual([rest, 403]);
    expect((await asks("alice", "GET", "/admin/api/users?email=bob@example.test")).status).toBe(403);
  });

  test.each(["viewer"])("with a reading role only (%s) cannot suspend anybody", async name => {
    const path = `/admin/api/users/${people.bob!.userId}`;
    expect((await asks(name, "GET", `${path}/audit`)).status).toBe(200);
    expect((await asks(name, "POST", `${path}/suspend`, { reason: "x" })).status).toBe(403);
  });
});

describe("bad input", () => {
  test.each([
    ["PATCH", "/v1/users/ME", { display_name: "" }, 400],
    ["PATCH", "/v1/users/ME", { display_name: "x", admin: true }, 400],
    ["PATCH", "/v1/users/ME", {}, 400],
    ["PATCH", "/v1/users/ME", { locale: "not a locale!" }, 400],
    ["GET", "/v1/users/nobody", undefined, 403],
    ["GET", "/v1/users/ME/profile?fields=account,secrets", undefined, 400],
    ["GET", "/v1/users/ME/profile?fields=", undefined, 400],
    ["GET", "/v1/users/ME/profile?unknown=1", undefined, 400],
    ["GET", "/v1/me/notifications?limit=1000000", undefined, 400],
    ["GET", "/v1/me/notifications?limit=-1", undefined, 400],
    ["GET", "/v1/me/notifications?cursor=tampered", undefined, 400],
    ["GET", "/v1/me/notifications?unread=perhaps", undefined, 400],
    ["POST", "/v1/me/notifications/read", {}, 400],
    ["POST", "/v1/me/notifications/read", { notification_ids: ["x"] }, 400],
    ["POST", "/v1/me/notifications/read", { up_to: -1 }, 400],
    ["GET", "/v1/me/notifications/stream?after=x", undefined, 400],
    ["GET", "/v1/me/notifications/stream?after=-1", undefined, 400],
    ["GET", "/login?prompt=none", undefined, 400],
    ["PUT", "/v1/me", {}, 405],
    ["GET", "/logout", undefined, 405],
    ["GET", "/v1/nothing", undefined, 404],
  ] as const)("%s %s %j → %i, as problem+json", async (method, path, body, status) => {
    const answer = await asks("alice", method, path.replace("ME", people.alice!.userId), body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ status, code: expect.any(String), detail: expect.any(String), title: expect.any(String) });
  });
});

describe("the profile", () => {
  const profile = (query = "", headers = {}) =>
    people.alice!.fetch(`${gateway.url}/v1/users/${people.alice!.userId}/profile${query}`, { headers });

  test("is account and entitlements in one response", async () => {
    await kenri.grant(people.alice!.userId, "sword");
    await kenri.grant(people.alice!.userId, "shield");
    await kenri.revoke(people.alice!.userId, "shield");
    const whole = (await (await profile()).json()) as Record<string, { entitlements: unknown[] }>;
    expect(Object.keys(whole).sort()).toEqual(["account", "entitlement"]);
    expect(whole.account).toMatchObject({ user_id: people.alice!.userId, email: "alice@example.test" });
    expect(whole.entitlement!.entitlements).toHaveLength(2);
  });

  test("has the requested parts", async () => {
    expect(Object.keys((await (await profile("?fields=entitlement")).json()) as object)).toEqual(["entitlement"]);
    expect(Object.keys((await (await profile("?fields=account,matchmaking")).json()) as object)).toEqual(["account"]);
  });

  test("is short for a game", async () => {
    const short = await (await profile("", { "x-kenri-client": "game" })).json();
    expect(short).toEqual({
      account: { user_id: people.alice!.userId, display_name: expect.any(String) },
      entitlement: { user_id: people.alice!.userId, entitlements: [{ stock_keeping_unit: "sword", version: 1 }] },
    } as never);
    expect((await profile("", { "x-kenri-client": "toaster" })).status).toBe(400);
  });

  test("has the first page of very many entitlements, and the cursor of the next", async () => {
    const { userId } = people.bob!;
    const held = { user_id: quoted(userId), stock_keeping_unit: "'item-' || to_char(n, 'FM0000')" };
    await entitlements.put(kenri.entitlementSql, held, "generate_series(1, 450) n");
    interface Page {
      readonly entitlements: { readonly stock_keeping_unit: string }[];
      readonly next_cursor?: string;
    }
    const at = async <T>(rest: string, headers = {}) =>
      (await (await people.bob!.fetch(`${gateway.url}/v1/users/${userId}${rest}`, { headers })).json()) as T;
    const { entitlement: first } = await at<{ entitlement: Page }>("/profile?fields=entitlement");
    const game = await at<{ entitlement: Page }>("/profile?fields=entitlement", { "x-kenri-client": "game" });
    expect([first.entitlements.length, game.entitlement.next_cursor]).toEqual([100, first.next_cursor]);
    const second = await at<Page>(`/entitlements?limit=200&cursor=${first.next_cursor}`);
    const third = await at<Page>(`/entitlements?limit=150&cursor=${second.next_cursor}`);
    const items = [first, second, third].flatMap(page => page.entitlements.map(one => one.stock_keeping_unit));
    expect(items).toEqual(Array.from({ length: 450 }, (_, n) => `item-${String(n + 1).padStart(4, "0")}`));
    expect(third.next_cursor).toBeUndefined();
    expect(await asks("alice", "GET", `/v1/users/${userId}/entitlements`)).toMatchObject({ status: 403 });
    expect(await asks("bob", "GET", `/v1/users/${userId}/entitlements?cursor=made-up`)).toMatchObject({ status: 400 });
  });
});

describe("an administrator", () => {
  test("suspends and restores: an existing session is refused within 5 s and works again; both are audited with actor and reason", async () => {
    const { userId } = people.bob!;
    const suspended = await asks("admin", "POST", `/admin/api/users/${userId}/suspend`, { reason: "chargeback" });
    expect(suspended).toMatchObject({ status: 200, body: { account_status: "SUSPENDED" } });
    await until("bob is refused", 5000, async () => (await asks("bob", "GET", "/v1/me")).status === 403);
    expect(await asks("bob", "GET", "/v1/me")).toMatchObject({ body: { code: "ACCOUNT_INACTIVE" } });
    expect((await asks("bob", "GET", "/v1/me/notifications")).status).toBe(403);
    const again = await testBrowser().signIn(gateway.url, "bob");
    expect([again.response.status, again.url.split("?")[0]]).toEqual([403, `${gateway.url}/callback`]);
    expect(await asks("admin", "POST", `/admin/api/users/${userId}/suspend`, { reason: "twice" })).toMatchObject({ status: 409 });
    expect((await asks("admin", "POST", `/admin/api/users/${userId}/restore`, { reason: "paid" })).status).toBe(200);
    await until("bob is back", 5000, async () => (await asks("bob", "GET", "/v1/me")).status === 200);
    const audit = (await asks("admin", "GET", `/admin/api/users/${userId}/audit`)).body;
    const text = JSON.stringify(audit);
    for (const word of ["chargeback", "paid", people.admin!.userId]) expect(text).toContain(word);
    expect(text).not.toContain("twice");
  });

  test("can suspend in account without this gateway: it takes effect within 5 s", async () => {
    await kenri.account().sql`update users set account_status = 'SUSPENDED' where user_id = ${people.viewer!.userId}`;
    await until("viewer is refused", 5000, async () => (await asks("viewer", "GET", "/v1/me")).status === 403);
    await kenri.account().sql`update users set account_status = 'ACTIVE' where user_id = ${people.viewer!.userId}`;
    await until("viewer is back", 5000, async () => (await asks("viewer", "GET", "/v1/me")).status === 200);
  });

  test("adds and removes roles, which take effect at the next request", async () => {
    const { userId } = people.bob!;
    const change = (roles: string[]) => asks("admin", "PUT", `/admin/api/users/${userId}/roles`, { roles, reason: "helps out" });
    expect((await change(["OPERATOR"])).status).toBe(200);
    expect((await asks("bob", "GET", "/v1/me")).body.roles).toEqual(["USER", "OPERATOR"]);
    expect((await change([])).status).toBe(200);
    expect((await asks("bob", "GET", "/v1/me")).body.roles).toEqual(["USER"]);
  });

  test("sees how many sessions a user has open, without their ids", async () => {
    const elsewhere = await signedIn(gateway, "bob");
    const seen = await asks("admin", "GET", `/admin/api/users/${elsewhere.userId.toUpperCase()}/sessions`);
    const sessions = seen.body.sessions as { ends_at: string; ends_unused_at: string }[];
    expect(seen.status).toBe(200);
    expect(sessions.length).toBeGreaterThanOrEqual(2);
    for (const { ends_at, ends_unused_at } of sessions) {
      expect(Date.parse(ends_unused_at)).toBeGreaterThan(Date.now());
      expect(Date.parse(ends_at)).toBeGreaterThanOrEqual(Date.parse(ends_unused_at));
    }
    expect(Object.keys(sessions[0]!).sort()).toEqual(["ends_at", "ends_unused_at"]);
    expect((await asks("viewer", "GET", `/admin/api/users/${elsewhere.userId}/sessions`)).status).toBe(200);
    expect((await asks("bob", "GET", `/admin/api/users/${elsewhere.userId}/sessions`)).status).toBe(403);
    expect((await asks("admin", "GET", "/admin/api/users/01890000-0000-7000-8000-00000000dead/sessions")).body.sessions).toEqual([]);
  });

  test("ends all sessions of a user, audited", async () => {
    const elsewhere = await signedIn(gateway, "bob");
    const ended = await asks("admin", "POST", `/admin/api/users/${elsewhere.userId}/sign-out`, { reason: "lost phone" });
    expect(ended.status).toBe(200);
    expect(ended.body.ended as number).toBeGreaterThanOrEqual(2);
    expect((await elsewhere.fetch(`${gateway.url}/v1/me`)).status).toBe(401);
    expect((await asks("bob", "GET", "/v1/me")).status).toBe(401);
    expect(JSON.stringify((await asks("admin", "GET", `/admin/api/users/${elsewhere.userId}/audit`)).body)).toContain("lost phone");
    people.bob = await signedIn(gateway, "bob");
  });
});
