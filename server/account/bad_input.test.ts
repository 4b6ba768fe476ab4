import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Asker, gateway, type TestAccounts, testAccounts } from "../testing/accounts.ts";
import { expectRefusal, type Refusal } from "../testing/refusal.ts";

let accounts: TestAccounts;
let ada: Asker;
let bob: string;
beforeAll(async () => {
  accounts = await testAccounts({ LOG_LEVEL: "debug" });
  ada = await accounts.user("ada", ["ADMIN"]);
  bob = (await accounts.user("bob")).user_id;
});
afterAll(() => accounts.close());

const invalid = (pointer?: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", ...(pointer === undefined ? {} : { pointer }) });
const notFound: Refusal = { status: 404, code: "NOT_FOUND" };

type Case = [name: string, method: string, path: string, body: unknown, refusal: Refusal];
const resolve = (name: string, body: unknown, pointer?: string): Case => [name, "POST", "/identities:resolve", body, invalid(pointer)];
const patch = (name: string, body: unknown, pointer?: string): Case => [name, "PATCH", "/users/BOB", body, invalid(pointer)];
const suspend = (name: string, body: unknown, pointer?: string): Case => [name, "POST", "/admin/users/BOB:suspend", body, invalid(pointer)];
const setRoles = (name: string, body: unknown, pointer?: string): Case => [name, "PUT", "/admin/users/BOB/roles", body, invalid(pointer)];
const get = (name: string, path: string, refusal: Refusal): Case => [name, "GET", path, undefined, refusal];
const identity = { provider: "p", subject: "s" };

const cases: Case[] = [
  resolve("no provider", { subject: "s" }, "/provider"),
  resolve("no subject", { provider: "p" }, "/subject"),
  resolve("a blank subject", { provider: "p", subject: " " }, "/subject"),
  resolve("a subject that is a number", { provider: "p", subject: 1 }, "/subject"),
  resolve("a subject of 501 characters", { provider: "p", subject: "a".repeat(501) }, "/subject"),
  resolve("U+0000 in the subject", { provider: "p", subject: "a\0b" }, "/subject"),
  resolve("half a character in the provider", '{"provider":"\\ud800","subject":"s"}', "/provider"),
  resolve("half a character in the name", '{"provider":"p","subject":"s","name":"\\udc00"}', "/name"),
  resolve("U+0000 in the e-mail", { ...identity, email: "a\0@b" }, "/email"),
  resolve("an e-mail of 2001 characters", { ...identity, email: "a".repeat(2001) }, "/email"),
  resolve("an e-mail that is an object", { ...identity, email: {} }, "/email"),
  resolve("email_verified as text", { ...identity, email_verified: "true" }, "/email_verified"),
  resolve("a picture that is a list", { ...identity, picture: ["https://x.example"] }, "/picture"),
  resolve("roles as text", { ...identity, roles: "ADMIN" }, "/roles"),
  resolve("a role that is a number", { ...identity, roles: [1] }, "/roles"),
  resolve("an unknown field", { ...identity, account_status: "ACTIVE" }, "/account_status"),
  resolve("__proto__", '{"provider":"p","subject":"s","__proto__":{"roles":["ADMIN"]}}'),
  resolve("a field twice", '{"provider":"p","subject":"s","subject":"t"}'),
  resolve("no object", "[]"),
  resolve("no JSON", "{"),
  patch("nothing to change", {}),
  patch("an empty name", { display_name: "" }, "/display_name"),
  patch("a blank name", { display_name: "\u3000 " }, "/display_name"),
  patch("a name of 101 characters", { display_name: "a".repeat(101) }, "/display_name"),
  patch("no name", { display_name: null }, "/display_name"),
  patch("U+0000 in the name", { display_name: "a\0" }, "/display_name"),
  patch("a line break in the name", { display_name: "a\nb" }, "/display_name"),
  patch("an escape of a terminal in the name", { display_name: "\u001b[31mred" }, "/display_name"),
  patch("a zero width in the name", { display_name: "a\u200bb" }, "/display_name"),
  patch("a joiner in the name", { display_name: "👩\u200d👧" }, "/display_name"),
  patch("a name turned round", { display_name: "\u202egnp.exe" }, "/display_name"),
  patch("a name with a soft hyphen", { display_name: "a\u00adb" }, "/display_name"),
  patch("white space before the name", { display_name: " a" }, "/display_name"),
  patch("white space after the name", { display_name: "a\u00a0" }, "/display_name"),
  patch("a name that is not NFC", { display_name: "Jose\u0301" }, "/display_name"),
  patch("a language that is none", { locale: "not a language" }, "/locale"),
  patch("an empty language", { locale: "" }, "/locale"),
  patch("a language with an underscore", { locale: "ja_JP" }, "/locale"),
  patch("a language of 101 characters", { locale: `en-x-${"abcdefgh-".repeat(11)}` }, "/locale"),
  patch("a field that is not the user's own", { email: "x@example.com" }, "/email"),
  patch("roles, among others", { display_name: "B", roles: ["ADMIN"] }, "/roles"),
  ["a user that is no UUID", "PATCH", "/users/bob", { locale: "en" }, invalid("/user_id")],
  ["a user that does not exist", "PATCH", "/users/01890000-0000-7000-8000-00000000dead", { locale: "en" }, notFound],
  suspend("no reason", {}, "/reason"),
  suspend("a blank reason", { reason: " " }, "/reason"),
  suspend("a reason of 501 characters", { reason: "r".repeat(501) }, "/reason"),
  suspend("something beside the reason", { reason: "r", until: "tomorrow" }, "/until"),
  ["suspend nobody", "POST", "/admin/users/:suspend", { reason: "r" }, notFound],
  ["suspend who is no UUID", "POST", "/admin/users/bob:suspend", { reason: "r" }, invalid("/user_id")],
  ["a verb that is none", "POST", "/admin/users/BOB:delete", { reason: "r" }, notFound],
  ["a verb twice", "POST", "/admin/users/BOB:restore:suspend", { reason: "r" }, invalid("/user_id")],
  ["the verb as a path", "POST", "/admin/users/BOB/suspend", { reason: "r" }, notFound],
  setRoles("no roles", { reason: "r" }, "/roles"),
  setRoles("no reason for roles", { roles: [] }, "/reason"),
  setRoles("a role that is none", { roles: ["USER", "ROOT"], reason: "r" }, "/roles/1"),
  setRoles("the gateway's role", { roles: ["GATEWAY"], reason: "r" }, "/roles/0"),
  setRoles("a role in small letters", { roles: ["admin"], reason: "r" }, "/roles/0"),
  ["a form", "POST", "/admin/users/BOB:suspend", undefined, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
  [
    "a body of 64 KiB and more",
    "POST",
    "/admin/users/BOB:suspend",
    { reason: "r".repeat(65_536) },
    { status: 413, code: "BODY_TOO_LARGE" },
  ],
  ["another method", "DELETE", "/users/BOB", undefined, { status: 405, code: "METHOD_NOT_ALLOWED" }],
  ["another method on a verb", "PUT", "/admin/users/BOB:suspend", { reason: "r" }, { status: 405, code: "METHOD_NOT_ALLOWED" }],
  get("a user that is no UUID, read", "/users/1", invalid("/user_id")),
  get("a user that does not exist, read", "/users/01890000-0000-7000-8000-00000000dead", notFound),
  get("a blank text to look for", "/admin/users?search=%20", invalid("/search")),
  get("U+0000 to look for by its beginning", "/admin/users?search=a%00", invalid("/search")),
  get("a text of 501 characters to look for", `/admin/users?search=${"a".repeat(501)}`, invalid("/search")),
  get("two filters", "/admin/users?search=a&role=ADMIN", invalid()),
  get("a status that is none", "/admin/users?status=GONE", invalid("/status")),
  get("those who are active, who are nearly all", "/admin/users?status=ACTIVE", invalid("/status")),
  get("a role that everybody has", "/admin/users?role=USER", invalid("/role")),
  get("a role that is none", "/admin/users?role=ROOT", invalid("/role")),
  get("a blank e-mail to look for", "/admin/users?email=%20", invalid("/email")),
  get("U+0000 to look for", "/admin/users?email=%00", invalid("/email")),
  get("an unknown parameter", "/admin/users?email=a@b&name=bob", invalid("/name")),
  get("a limit of 0", "/admin/users?email=a@b&limit=0", invalid("/limit")),
  get("a limit of 1000000", "/admin/users/BOB/audit?limit=1000000", invalid("/limit")),
  get("a made-up cursor", "/admin/users/BOB/audit?cursor=AAAAAAAAAAAAAAAAAAAAAAAA", invalid()),
];

describe("invalid input is refused, and nothing is written", () => {
  test.each(cases)("%s: %s", async (_, method, path, body, refusal) => {
    const before = await accounts.rows();
    const asker = path === "/identities:resolve" ? gateway : ada;
    expectRefusal(await accounts.ask(asker, method, path.replace("BOB", bob), body), refusal);
    expect(await accounts.rows()).toEqual(before);
  });
});

test("there was no unexpected error, and no token is in the log", async () => {
  expect(accounts.server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
  expect(accounts.server.lines.join("\n")).not.toContain("eyJ");
  expect(await accounts.kenri.metric("account", "kenri_http_request_seconds_count", 'status="5')).toBe(0);
});
