import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import type { TestProcess } from "../../testing/process.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";

let kenri: TestKenri;
let server: TestProcess;
type Body = NonNullable<RequestInit["body"]>;
const keys = new Map<string, string>();
beforeAll(async () => {
  kenri = await testKenri({ LOG_LEVEL: "debug" });
  server = await kenri.start("entitlement:api");
  keys.set("reader", await kenri.newKey("reader", ["entitlements:read"]));
  keys.set("expired", await kenri.newKey("late", ["entitlements:write"], -1));
});
afterAll(() => kenri.close());

const good = { user_id: "alice", stock_keeping_unit: "item1", reason: "purchase", purchase_id: "p_1" };
const invalid = (pointer?: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", ...(pointer ? { pointer } : {}) });
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
const raw = (json: string) => JSON.stringify(good).replace('"alice"', json);

describe("a body that cannot be taken is refused", () => {
  const cases: [name: string, body: Body, refusal: Refusal][] = [
    ["empty", "", invalid()],
    ["malformed", "{user_id: 1}", invalid()],
    ["truncated", JSON.stringify(good).slice(0, -5), invalid()],
    ["followed by more", `${JSON.stringify(good)} {}`, invalid()],
    ["null", "null", invalid()],
    ["a list", "[]", invalid()],
    ["a list of good ones", `[${JSON.stringify(good)}]`, invalid()],
    ["a string", '"x"', invalid()],
    ["a number", "1", invalid()],
    ["an empty object", "{}", invalid("/user_id")],
    ["over 64 KiB", replacing({ reason: "x".repeat(65_536) }), { status: 413, code: "BODY_TOO_LARGE" }],
    ["64 KiB of white space and more", `${" ".repeat(65_536)}${JSON.stringify(good)}`, { status: 413, code: "BODY_TOO_LARGE" }],
    ["10,000 deep in lists", raw("[".repeat(10_000) + "]".repeat(10_000)), invalid()],
    ["10,000 deep in objects", raw('{"a":'.repeat(10_000) + 1 + "}".repeat(10_000)), invalid()],
    ["10,000 deep and never closed", "[".repeat(10_000), invalid()],
    ["with a byte order mark", `\ufeff${JSON.stringify(good)}`, invalid()],
    ["not UTF-8", Buffer.concat([Buffer.from(JSON.stringify(good)), Buffer.from([0xff, 0xfe])]), invalid()],
    ["a surrogate in bytes", Buffer.from(JSON.stringify(good).replace("alice", "\u00ed\u00a0\u0080"), "latin1"), invalid()],
    ["UTF-16", Buffer.from(JSON.stringify(good), "utf16le"), invalid()],
    ["gzip", Bun.gzipSync(JSON.stringify(good)), invalid()],
    ["a field twice", raw('"mallory","user_id":"alice"'), invalid()],
    ["a field twice, once escaped", raw('"mallory","user\\u005fid":"alice"'), invalid()],
    ["__proto__", raw('"alice","__proto__":{"user_id":"eve"}'), invalid("/__proto__")],
    [
      "__proto__ in the place of a field",
      '{"__proto__":{"user_id":"eve"},"stock_keeping_unit":"s","reason":"r","purchase_id":"p"}',
      invalid("/user_id"),
    ],
    ["constructor", replacing({ constructor: { prototype: {} } }), invalid("/constructor")],
    ["an unknown field", replacing({ admin: true }), invalid("/admin")],
  ];
  test.each(cases)("%s", async (_, body, refusal) => expectRefusal(await post(body), refusal, [kenri.key]));
});

describe("a field that is not what it should be is refused, and named", () => {
  const values: [name: string, json: string][] = [
    ["missing", ""],
    ["null", "null"],
    ["empty", '""'],
    ["blank", '" \\t\\u3000"'],
    ["201 characters", JSON.stringify("x".repeat(201))],
    ["201 emoji", JSON.stringify("🎁".repeat(201))],
    ["a lone surrogate", '"a\\ud800b"'],
    ["surrogates the wrong way round", '"\\udc00\\ud800"'],
    ["U+0000", '"a\\u0000b"'],
    ["a control character", '"a\\u0007b"'],
    ["an escape of a terminal", '"\\u001b[31mred"'],
    ["a control character of C1", '"a\\u009bb"'],
    ["DEL", '"a\\u007fb"'],
    ["a line break", '"a\\nb"'],
    ["a line separator", '"a\\u2028b"'],
    ["zero width", '"a\\u200bb"'],
    ["a joiner", '"👩\\u200d👧"'],
    ["turned round", '"a\\u202eb"'],
    ["an isolate", '"a\\u2066b"'],
    ["a soft hyphen", '"a\\u00adb"'],
    ["a byte order mark", '"\\ufeffa"'],
    ["a tag", '"a\\udb40\\udc41"'],
    ["white space before", '" a"'],
    ["white space after", '"a\\u3000"'],
    ["not NFC", '"cafe\\u0301"'],
    ["a number", "1"],
    ["2^53+1", "9007199254740993"],
    ["1e400", "1e400"],
    ["a boolean", "true"],
    ["a list", '["alice"]'],
    ["an object", '{"$ne":1}'],
  ];
  const cases = Object.keys(good).flatMap(field => values.map(([name, json]) => [field, name, json] as const));
  test.each(cases)("%s: %s", async (field, _, json) => {
    const fields = Object.entries(good).flatMap(([name, value]) =>
      name !== field ? [`"${name}":${JSON.stringify(value)}`] : json ? [`"${name}":${json}`] : [],
    );
    expectRefusal(await post(`{${fields.join(",")}}`), invalid(`/${field}`));
  });
  const paths = [".", "..", "a/../x", "x/.", "./x", "x\\\\..", "%2e%2E", "a/.%2e"];
  const ids = ["user_id", "stock_keeping_unit", "purchase_id"].flatMap(field => paths.map(value => [field, value] as const));
  test.each(ids)("%s: %j, which a URL would resolve", async (field, value) =>
    expectRefusal(await post(replacing({ [field]: value })), invalid(`/${field}`)),
  );
  test("and the refusal names the character and its place, and does not repeat it", async () => {
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
  const cases: [name: string, headers: Record<string, string>, refusal: Refusal][] = [
    ["no key", { "idempotency-key": "" }, invalid()],
    ["a blank key", { "idempotency-key": "   " }, invalid()],
    ["an empty quoted key", { "idempotency-key": '""' }, invalid()],
    ["256 characters", { "idempotency-key": "k".repeat(256) }, invalid()],
    ["256 characters in quotes", { "idempotency-key": `"${"k".repeat(256)}"` }, invalid()],
    ["a key with a space", { "idempotency-key": "a b" }, invalid()],
    ["a key with a tab", { "idempotency-key": "a\tb" }, invalid()],
    ["a key beyond ASCII", { "idempotency-key": "cl\u00e9" }, invalid()],
    ["no media type", { "content-type": "" }, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
    ["plain text", { "content-type": "text/plain" }, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
    ["parts", { "content-type": "multipart/form-data; boundary=x" }, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
    ["another JSON", { "content-type": "application/json-patch+json" }, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
    ["UTF-16", { "content-type": "application/json; charset=utf-16" }, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
    ["Latin 1", { "content-type": 'application/json;Charset="ISO-8859-1"' }, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
    ["no charset", { "content-type": "application/json; charset=" }, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
    [
      "a charset beside UTF-8",
      { "content-type": "application/json; charset=utf-8; charset=utf-16" },
      { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
    ],
    [
      "an extended charset",
      { "content-type": "application/json; charset*=UTF-8''utf-16" },
      { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
    ],
    ["two media types", { "content-type": "application/json, text/plain" }, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
  ];
  test.each(cases)("%s", async (_, headers, refusal) => expectRefusal(await post(JSON.stringify(good), headers), refusal));
});

describe("a caller who may not is refused before the body is looked at", () => {
  const cases: [name: string, authorization: () => string, refusal: Refusal][] = [
    ["nobody", () => "", unauthorized],
    ["basic", () => `Basic ${btoa("tester:secret")}`, unauthorized],
    ["a bare key", () => kenri.key, unauthorized],
    ["no secret", () => `Bearer ${kenri.key.slice(0, 18)}`, unauthorized],
    ["another secret", () => `Bearer ${kenri.key.slice(0, -4)}AAAA`, unauthorized],
    ["a longer secret", () => `Bearer ${kenri.key}A`, unauthorized],
    ["an unknown key", () => `Bearer kenri_000000000000_${"A".repeat(43)}`, unauthorized],
    ["an expired key", () => `Bearer ${keys.get("expired")}`, unauthorized],
    ["SQL for a key", () => "Bearer kenri_' or 1=1 --_x", unauthorized],
    ["two keys", () => `Bearer ${kenri.key}, Bearer ${kenri.key}`, unauthorized],
    ["a key without the scope", () => `Bearer ${keys.get("reader")}`, { status: 403, code: "FORBIDDEN" }],
  ];
  test.each(cases)("%s", async (_, authorization, refusal) => {
    for (const body of [JSON.stringify(good), "{"]) {
      const answer = await post(body, { authorization: authorization() });
      expectRefusal(answer, refusal, [kenri.key, keys.get("reader")!]);
      expect(answer.headers.has("www-authenticate")).toBe(refusal.status === 401);
    }
  });

  test("a key in the query string opens nothing and is not logged", async () => {
    for (const parameter of ["api_key", "access_token", "authorization"]) {
      expectRefusal(
        await post(JSON.stringify(good), { authorization: "" }, `/v1/entitlements/grants?${parameter}=${kenri.key}`),
        unauthorized,
        [kenri.key],
      );
    }
    expect(server.lines.join("\n")).not.toContain(kenri.key.split("_").at(-1)!);
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

  test("nothing surprised the server, and it counted the answers as they were given", async () => {
    expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
    expect(await kenri.metric("entitlement", "kenri_http_request_seconds_count", 'status="5')).toBe(0);
    expect(await kenri.metric("entitlement", "kenri_http_request_seconds_count", 'status="4')).toBeGreaterThan(used.length * 0.9);
  });
});
