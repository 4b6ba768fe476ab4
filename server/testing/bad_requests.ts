import type { Refusal } from "./refusal.ts";

/** Bad input that every API with JSON bodies and API keys refuses in the same way. */
export const invalid = (pointer?: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", ...(pointer ? { pointer } : {}) });
const unauthorized: Refusal = { status: 401, code: "UNAUTHORIZED" };
const unsupported: Refusal = { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" };
const tooLarge: Refusal = { status: 413, code: "BODY_TOO_LARGE" };

type Body = NonNullable<RequestInit["body"]>;

/** Bodies, made from a good one whose first member is text. */
export function badBodies(good: Readonly<Record<string, string>>): [name: string, body: Body, refusal: Refusal][] {
  const whole = JSON.stringify(good);
  const [field, value] = Object.entries(good)[0]!;
  const raw = (json: string) => whole.replace(JSON.stringify(value), json);
  const replacing = (change: Record<string, unknown>) => JSON.stringify({ ...good, ...change });
  const escaped = `${field.slice(0, -1)}\\u${field
    .charCodeAt(field.length - 1)
    .toString(16)
    .padStart(4, "0")}`;
  return [
    ["empty", "", invalid()],
    ["malformed", `{${field}: 1}`, invalid()],
    ["truncated", whole.slice(0, -5), invalid()],
    ["followed by more", `${whole} {}`, invalid()],
    ["null", "null", invalid()],
    ["a list", "[]", invalid()],
    ["a list of good ones", `[${whole}]`, invalid()],
    ["a string", '"x"', invalid()],
    ["a number", "1", invalid()],
    ["an empty object", "{}", invalid(`/${field}`)],
    ["over 64 KiB", replacing({ [field]: "x".repeat(65_536) }), tooLarge],
    ["64 KiB of white space and more", `${" ".repeat(65_536)}${whole}`, tooLarge],
    ["10,000 deep in lists", raw("[".repeat(10_000) + "]".repeat(10_000)), invalid()],
    ["10,000 deep in objects", raw('{"a":'.repeat(10_000) + 1 + "}".repeat(10_000)), invalid()],
    ["10,000 deep and never closed", "[".repeat(10_000), invalid()],
    ["with a byte order mark", `\ufeff${whole}`, invalid()],
    ["not UTF-8", Buffer.concat([Buffer.from(whole), Buffer.from([0xff, 0xfe])]), invalid()],
    ["a surrogate in bytes", Buffer.from(raw('"\u00ed\u00a0\u0080"'), "latin1"), invalid()],
    ["UTF-16", Buffer.from(whole, "utf16le"), invalid()],
    ["gzip", Bun.gzipSync(whole), invalid()],
    ["NaN", raw("NaN"), invalid()],
    ["a field twice", raw(`"mallory","${field}":"${value}"`), invalid()],
    ["a field twice, once escaped", raw(`"mallory","${escaped}":"${value}"`), invalid()],
    ["__proto__", raw(`"${value}","__proto__":{"${field}":"eve"}`), invalid("/__proto__")],
    ["__proto__ in the place of a field", whole.replace(`"${field}":"${value}"`, `"__proto__":{"${field}":"eve"}`), invalid(`/${field}`)],
    ["constructor", replacing({ constructor: { prototype: {} } }), invalid("/constructor")],
    ["an unknown field", replacing({ admin: true }), invalid("/admin")],
  ];
}

/** Values, as JSON, that no text field takes. */
export const badTexts: readonly [name: string, json: string][] = [
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

/** Ids that a URL would resolve. */
export const badPathTexts = [".", "..", "a/../x", "x/.", "./x", "x\\\\..", "%2e%2E", "a/.%2e"];

/** Headers of a request with an Idempotency-Key and a JSON body. */
export const badHeaders: readonly [name: string, headers: Record<string, string>, refusal: Refusal][] = [
  ["no key", { "idempotency-key": "" }, invalid()],
  ["a blank key", { "idempotency-key": "   " }, invalid()],
  ["an empty quoted key", { "idempotency-key": '""' }, invalid()],
  ["256 characters", { "idempotency-key": "k".repeat(256) }, invalid()],
  ["256 characters in quotes", { "idempotency-key": `"${"k".repeat(256)}"` }, invalid()],
  ["a key with a space", { "idempotency-key": "a b" }, invalid()],
  ["a key with a tab", { "idempotency-key": "a\tb" }, invalid()],
  ["a key beyond ASCII", { "idempotency-key": "cl\u00e9" }, invalid()],
  ["no media type", { "content-type": "" }, unsupported],
  ["plain text", { "content-type": "text/plain" }, unsupported],
  ["a form", { "content-type": "application/x-www-form-urlencoded" }, unsupported],
  ["parts", { "content-type": "multipart/form-data; boundary=x" }, unsupported],
  ["another JSON", { "content-type": "application/json-patch+json" }, unsupported],
  ["UTF-16", { "content-type": "application/json; charset=utf-16" }, unsupported],
  ["Latin 1", { "content-type": 'application/json;Charset="ISO-8859-1"' }, unsupported],
  ["no charset", { "content-type": "application/json; charset=" }, unsupported],
  ["a charset beside UTF-8", { "content-type": "application/json; charset=utf-8; charset=utf-16" }, unsupported],
  ["an extended charset", { "content-type": "application/json; charset*=UTF-8''utf-16" }, unsupported],
  ["two media types", { "content-type": "application/json, text/plain" }, unsupported],
];

/** A good key, one that has expired and one without the scope; they exist when the test runs. */
export interface CallerKeys {
  readonly good: string;
  readonly expired: string;
  readonly unscoped: string;
}

/** Callers, as the Authorization header. */
export const badCallers: readonly [name: string, authorization: (keys: CallerKeys) => string, refusal: Refusal][] = [
  ["nobody", () => "", unauthorized],
  ["basic", () => `Basic ${btoa("tester:secret")}`, unauthorized],
  ["a bare key", ({ good }) => good, unauthorized],
  ["no secret", ({ good }) => `Bearer ${good.slice(0, 18)}`, unauthorized],
  ["another secret", ({ good }) => `Bearer ${good.slice(0, -4)}AAAA`, unauthorized],
  ["a longer secret", ({ good }) => `Bearer ${good}A`, unauthorized],
  ["an unknown key", () => `Bearer kenri_000000000000_${"A".repeat(43)}`, unauthorized],
  ["an expired key", ({ expired }) => `Bearer ${expired}`, unauthorized],
  ["SQL for a key", () => "Bearer kenri_' or 1=1 --_x", unauthorized],
  ["two keys", ({ good }) => `Bearer ${good}, Bearer ${good}`, unauthorized],
  ["a key without the scope", ({ unscoped }) => `Bearer ${unscoped}`, { status: 403, code: "FORBIDDEN" }],
];

/** Values of `limit`, as they stand in a URL. */
export const badLimits = ["0", "-1", "201", "1000000", "1e2", "1.0", "0x10", "+5", "%205", "", "NaN", "%EF%BC%91", "9007199254740993"];

/** Texts that are no time of RFC 3339, or one that does not exist. */
export const badTimes = [
  "",
  "now",
  "yesterday",
  "infinity",
  "-infinity",
  "epoch",
  "2026-01-01",
  "2026-01-01T00:00:00",
  "2026-01-01 00:00:00Z",
  "1767225600",
  "2026-02-30T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-01-01T25:00:00Z",
  "2026-01-01T00:61:00Z",
  "2026-01-01T00:00:00+99:00",
  "2026-01-01T00:00:00+15:99",
  "0000-01-01T00:00:00Z",
  "99999-01-01T00:00:00Z",
  "2026-01-01T00:00:00.1234567Z",
  "2026-01-01T00:00:00Z'; drop table entitlements; --",
  "２０２６-01-01T00:00:00Z",
];
