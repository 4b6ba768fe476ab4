import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { badBodies, badCallers, badHeaders, badPathTexts, badTexts, type CallerKeys, invalid } from "../../testing/bad_requests.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import type { TestProcess } from "../../testing/process.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";

let kenri: TestKenri;
let server: TestProcess;
type Body = NonNullable<RequestInit["body"]>;
let keys: CallerKeys;
beforeAll(async () => {
  kenri = await testKenri({ LOG_LEVEL: "debug" });
  server = await kenri.start("entitlement:api");
  keys = {
    good: kenri.key,
    expired: await kenri.newKey("late", ["entitlements:write"], -1),
    unscoped: await kenri.newKey("reader", ["entitlements:read"]),
  };
});
afterAll(() => kenri.close());

const good = { user_id: "alice", stock_keeping_unit: "item1", reason: "purchase", purchase_id: "p_1" };
const unauthorized: Refusal = { status: 401, code: "UNAUTHORIZED" };

// Every case has an Idempotency-Key of its own, which must still be unused afterwards.
const used: string[] = [];
const nextKey = () => {
  used.push(`key-${used.length}`);
  return used.at(-1)!;
};

async function ask(
  path: string,
  init: RequestInit & { headers?: Record<string, string> },
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${kenri.urlOf("entitlement")}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const post = (body: Body, headers: Record<string, string> = {}, path = "/v1/entitlements/grants") =>
  ask(path, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${kenri.key}`, "content-type": "application/json", "idempotency-key": nextKey(), ...headers },
  });

const replacing = (change: Record<string, unknown>) => JSON.stringify({ ...good, ...change });

describe("a body that cannot be taken is refused", () => {
  test.each(badBodies(good))("%s", async (_, body, refusal) => expectRefusal(await post(body), refusal, [kenri.key]));
});

describe("a field that is not what it should be is refused, and named", () => {
  const values = [["missing", ""] as const, ...badTexts];
  const cases = Object.keys(good).flatMap(field => values.map(([name, json]) => [field, name, json] as const));
  test.each(cases)("%s: %s", async (field, _, json) => {
    const fields = Object.entries(good).flatMap(([name, value]) =>
      name !== field ? [`"${name}":${JSON.stringify(value)}`] : json ? [`"${name}":${json}`] : [],
    );
    expectRefusal(await post(`{${fields.join(",")}}`), invalid(`/${field}`));
  });
  const ids = ["user_id", "stock_keeping_unit", "purchase_id"].flatMap(field => badPathTexts.map(value => [field, value] as const));
  test.each(ids)("%s: %j, which a URL would resolve", async (field, value) =>
    expectRefusal(await post(replacing({ [field]: value })), invalid(`/${field}`)),
  );
  test("and the refusal names the character and its position, and does not repeat it", async () => {
    const { text } = await post(replacing({ user_id: "ab\u200b", purchase_id: "cafe\u0301" }));
    expect(JSON.parse(text)).toMatchObject({
      errors: [{ pointer: "/purchase_id", detail: expect.stringContaining("is not in Unicode NFC from character 4 on") }],
    });
    const other = (await post(replacing({ user_id: "ab\u200b" }))).text;
    expect(JSON.parse(other).errors).toEqual([
      { pointer: "/user_id", detail: expect.stringMatching(/^contains U\+200B at character 3: /) },
    ]);
    expect(other).toMatch(/^[ -~]+$/);
  });
  test("stock_keeping_unit: with a colon", async () =>
    expectRefusal(await post(replacing({ stock_keeping_unit: "a:b" })), invalid("/stock_keeping_unit")));
});

describe("a header that cannot be taken is refused", () => {
  test.each(badHeaders)("%s", async (_, headers, refusal) => expectRefusal(await post(JSON.stringify(good), headers), refusal));
});

describe("a caller without permission is refused before the body is read", () => {
  test.each(badCallers)("%s", async (_, authorization, refusal) => {
    for (const body of [JSON.stringify(good), "{"]) {
      const answer = await post(body, { authorization: authorization(keys) });
      expectRefusal(answer, refusal, [keys.good, keys.unscoped]);
      expect(answer.headers.has("www-authenticate")).toBe(refusal.status === 401);
    }
  });

  test("a key in the query string is ignored and not logged", async () => {
    for (const parameter of ["api_key", "access_token", "authorization"]) {
      expectRefusal(
        await post(JSON.stringify(good), { authorization: "" }, `/v1/entitlements/grants?${parameter}=${kenri.key}`),
        unauthorized,
        [kenri.key],
      );
    }
    expect(server.lines.join("\n")).not.toContain(kenri.key.split("_").slice(2).join("_"));
  });
});

describe("a method that the path does not take is refused with those it takes", () => {
  const cases = ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"].map(method => [method, "/v1/entitlements/grants", "POST"] as const);
  test.each([
    ...cases,
    ["POST", "/v1/users/alice/entitlements", "GET, HEAD"],
    ["DELETE", "/v1/users/alice/entitlements/item1/history", "GET, HEAD"],
  ] as const)("%s %s", async (method, path, allow) => {
    const answer = await ask(path, { method, headers: { authorization: `Bearer ${kenri.key}`, "idempotency-key": nextKey() } });
    expectRefusal(answer, { status: 405, code: "METHOD_NOT_ALLOWED" });
    expect(answer.headers.get("allow")).toBe(allow);
  });
});

describe("afterwards", () => {
  test("nothing was written", async () => {
    const [count] = await kenri.entitlementSql`select (select count(*) from idempotency_keys) + (select count(*) from entitlements)
      + (select count(*) from outbox_events) + (select count(*) from entitlement_audit) as rows`;
    expect(count?.rows).toBe(0);
  });

  test("every key that was refused can be used for a good request", async () => {
    const answers = await Promise.all(used.map((key, n) => kenri.grant(`user-${n}`, "item1", { key })));
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]));
    expect(answers.some(answer => answer.headers.has("idempotency-replayed"))).toBe(false);
  });

  test("the server logged no unexpected error, and counted the responses", async () => {
    expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
    expect(await kenri.metric("entitlement", "kenri_http_request_seconds_count", 'status="5')).toBe(0);
    expect(await kenri.metric("entitlement", "kenri_http_request_seconds_count", 'status="4')).toBeGreaterThan(used.length * 0.9);
  });
});
