import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { signedIn, type TestBrowser, testBrowser } from "../../testing/browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { putEvent } from "../../testing/operator_rows.ts";
import { sendRaw } from "../../testing/raw_http.ts";

let kenri: TestKenri;
let gateway: TestGateway;
const people: Record<string, TestBrowser> = {};
beforeAll(async () => {
  kenri = await testKenri({ OPS_ANSWERS_FOR: "1m" });
  const place = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api", place.forServices);
  gateway = await startGateway(kenri, place, { TRACE_VIEWER_URL: traceViewer });
  for (const name of ["alice", "viewer", "operator"]) people[name] = await signedIn(gateway, name);
});
afterAll(() => kenri.close());

const get = (name: string, path: string) => people[name]!.fetch(`${gateway.url}${path}`);
interface Counts {
  readonly counts: Record<string, { readonly count: number }>;
}
const nobody = crypto.randomUUID();
const traceViewer = "http://127.0.0.1:16686/trace/{trace_id}?uiEmbed=v0";

test("the address of the trace viewer is for console roles, as it was set", async () => {
  for (const name of ["viewer", "operator"])
    expect(await (await get(name, "/admin/api/gateway/trace-viewer")).json()).toEqual({ url: traceViewer });
  expect((await get("alice", "/admin/api/gateway/trace-viewer")).status).toBe(403);
  expect((await fetch(`${gateway.url}/admin/api/gateway/trace-viewer`)).status).toBe(401);
});

describe("the configuration", () => {
  const secrets = () => [kenri.environment.ACCOUNT_APP_DATABASE_URL!, process.env.KENRI_TEST_IDP_CLIENT_SECRET!];

  test.each(["gateway", "account", "entitlement", "notification"])("of %s is for operators, and contains no secret", async system => {
    const answer = await get("operator", `/admin/api/${system}/config`);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const { groups } = JSON.parse(text) as { groups: { name: string; settings: { variable: string; value: string | null }[] }[] };
    expect(groups.map(group => group.name)).toEqual(["kernel", system]);
    expect(groups[1]!.settings.length).toBeGreaterThan(2);
    for (const secret of secrets()) {
      expect(secret).toMatch(/./);
      expect(text).not.toContain(secret);
    }
    expect((await get("viewer", `/admin/api/${system}/config`)).status).toBe(403);
    expect((await get("alice", `/admin/api/${system}/config`)).status).toBe(403);
    expect((await fetch(`${gateway.url}/admin/api/${system}/config`)).status).toBe(401);
  });

  test("of the gateway contains its own settings, and of secrets only whether they are set", async () => {
    const { groups } = (await (await get("operator", "/admin/api/gateway/config")).json()) as {
      groups: { settings: { variable: string; value: string | null; is_set: boolean }[] }[];
    };
    const of = (variable: string) => groups.flatMap(group => group.settings).find(setting => setting.variable === variable);
    expect(of("SESSION_IDLE")).toMatchObject({ value: "30m", is_set: false });
    expect(of("GATEWAY_PORT")).toMatchObject({ value: new URL(gateway.url).port, is_set: true });
    for (const variable of ["OIDC_CLIENT_SECRET", "REDIS_URL"]) expect(of(variable)).toMatchObject({ value: null, is_set: true });
  });
});

test("error budgets and alerts are for console roles; without PROMETHEUS_URL the answer says that it is off", async () => {
  const path = "/admin/api/gateway/monitoring";
  for (const name of ["viewer", "operator"]) {
    const answer = await get(name, path);
    expect([answer.status, await answer.json()]).toMatchObject([200, { state: "off", objectives: [], alerts: [] }]);
  }
  expect((await get("viewer", `${path}?query=up`)).status).toBe(400);
  expect((await get("alice", path)).status).toBe(403);
  expect((await fetch(`${gateway.url}${path}`)).status).toBe(401);
});

describe("the operator API of the services", () => {
  test("is readable through the gateway for console roles, with the query", async () => {
    for (const path of ["entitlement/outbox/failed?limit=3", "notification/notifications/dead?limit=3"]) {
      const answer = await get("viewer", `/admin/api/${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(Object.values((await answer.json()) as object)).toEqual([[]]);
    }
    expect((await get("viewer", "/admin/api/entitlement/outbox/failed?limit=0")).status).toBe(400);
  });

  test("passes on refusals of the service, with the path of the request", async () => {
    const path = `/admin/api/entitlement/outbox/${nobody}`;
    const answer = await get("viewer", path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    expect(await answer.json()).toMatchObject({ code: "NOT_FOUND", instance: path });
  });

  test("passes on changes for allowed roles: the service gets the person and the body", async () => {
    const path = `/admin/api/notification/notifications/${nobody}/requeue`;
    const requeue = (name: string, body: object) => people[name]!.send(gateway.url, "POST", path, body);
    expect((await requeue("viewer", { reason: "x" })).status).toBe(403);
    expect((await requeue("operator", { reason: "x" })).status).toBe(404);
    expect((await requeue("operator", {})).status).toBe(400);
  });

  test("passes on an Idempotency-Key, and reports a stored response", async () => {
    const grant = (name: string, key: string | undefined, item = "sword") =>
      people[name]!.fetch(`${gateway.url}/admin/api/entitlement/users/${encodeURIComponent("a/b 日本")}/grants`, {
        method: "POST",
        headers: { "x-kenri-csrf": "1", "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) },
        body: JSON.stringify({ stock_keeping_unit: item, purchase_id: "ticket-7", reason: "lost" }),
      });
    const [first, again] = [await grant("operator", "once"), await grant("operator", "once")];
    expect([first.status, first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")]).toEqual([
      200,
      null,
      "true",
    ]);
    expect(await again.text()).toBe(await first.text());
    expect(await (await grant("operator", "once", "shield")).json()).toMatchObject({ status: 409, code: "IDEMPOTENCY_KEY_CONFLICT" });
    expect([(await grant("operator", undefined)).status, (await grant("viewer", "other")).status]).toEqual([400, 403]);
    const actions = await kenri.entitlementSql`select detail ->> 'user_id' as user_id from operator_actions`;
    expect(actions.map(action => action.user_id)).toEqual(["a/b 日本"]);
  });

  test.each([256, 15_600])("leaves it to the service to refuse an Idempotency-Key of %i characters", async length => {
    const grant = (name: string) =>
      people[name]!.fetch(`${gateway.url}/admin/api/entitlement/users/u/grants`, {
        method: "POST",
        headers: { "x-kenri-csrf": "1", "content-type": "application/json", "idempotency-key": "k".repeat(length) },
        body: JSON.stringify({ stock_keeping_unit: "sword", purchase_id: "ticket-7", reason: "lost" }),
      });
    expect(await (await grant("operator")).json()).toMatchObject({ status: 400, detail: expect.stringContaining("Idempotency-Key") });
    expect((await grant("viewer")).status).toBe(403);
  });

  test("passes on cache-control: no-cache", async () => {
    const failed = async (headers: Record<string, string> = {}) =>
      ((await (await people.viewer!.fetch(`${gateway.url}/admin/api/entitlement/outbox/counts`, { headers })).json()) as Counts).counts
        .FAILED;
    expect(await failed()).toMatchObject({ count: 0 });
    await putEvent(kenri.entitlementSql, { state: "failed", user: "u", error: "e", minutes: 1 });
    expect(await failed()).toMatchObject({ count: 0 });
    expect(await failed({ "cache-control": "no-cache" })).toMatchObject({ count: 1 });
  });

  test("refuses changes from pages of other sites", async () => {
    const body = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ reason: "x" }) };
    const answer = await people.operator!.fetch(`${gateway.url}/admin/api/entitlement/outbox/${nobody}/requeue`, body);
    expect(await answer.json()).toMatchObject({ status: 403, code: "CSRF_REFUSED" });
  });

  test("is refused to players and without a session", async () => {
    expect((await get("alice", "/admin/api/entitlement/outbox/failed")).status).toBe(403);
    expect((await testBrowser().fetch(`${gateway.url}/admin/api/entitlement/outbox/failed`)).status).toBe(401);
  });

  test.each(["../v1/users/x/entitlements", "%2e%2e/v1/users/x/entitlements", "a/../../v1/users/x/entitlements", "..%2fv1/users/x"])(
    "is all there is behind it: %s leads nowhere else",
    async path => {
      const cookie = [...people.operator!.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await sendRaw(gateway.url, `GET /admin/api/entitlement/${path} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`);
      expect(answer).toMatchObject({ status: 404 });
    },
  );

  test("does not change the methods of other routes", async () => {
    expect((await get("viewer", `/admin/api/users/${nobody}/suspend`)).status).toBe(405);
    expect((await get("viewer", "/admin/api/nothing")).status).toBe(404);
  });
});

describe("the console", () => {
  const page = async (name: string, path: string) => {
    const answer = await get(name, path);
    return { answer, text: await answer.text() };
  };

  test("is one page for all its paths, with nothing inline", async () => {
    const { answer, text } = await page("viewer", "/admin/");
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(answer.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self'");
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
    for (const path of ["/admin", "/admin/outbox/x?status=FAILED", "/admin/some/where"])
      expect((await page("viewer", path)).text).toBe(text);
  });

  test("has scripts and styles that browsers may cache forever", async () => {
    const { text } = await page("viewer", "/admin/");
    const assets = [...text.matchAll(/(?:src|href)="(\/admin\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(assets.length).toBeGreaterThanOrEqual(2);
    for (const path of assets) {
      const { headers, status } = await get("viewer", path);
      expect([path, status, headers.get("cache-control")]).toEqual([path, 200, "public, max-age=31536000, immutable"]);
      expect(headers.get("content-type")).toMatch(/^text\/(javascript|css)/);
    }
    expect((await get("viewer", "/admin/assets/nothing.js")).status).toBe(404);
    expect((await get("viewer", "/admin/assets/..%2findex.html")).status).toBe(404);
  });

  test("redirects to the sign-in, and back to the requested page", async () => {
    const stranger = testBrowser();
    const answer = await stranger.fetch(`${gateway.url}/admin/outbox?status=FAILED`);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/login?returnTo=%2Fadmin%2Foutbox%3Fstatus%3DFAILED"]);
    const { url, response } = await stranger.signIn(gateway.url, "viewer", "/admin/outbox?status=FAILED");
    expect([url, response.status]).toEqual([`${gateway.url}/admin/outbox?status=FAILED`, 200]);
  });

  test("answers a player with an error page", async () => {
    const { answer, text } = await page("alice", "/admin/");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
    expect(text).toContain("VIEWER or OPERATOR or ADMIN");
  });
});
