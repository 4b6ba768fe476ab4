import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Failing, notifications, outbox } from "../../testing/failed.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { operators } from "../../testing/operators.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
beforeAll(async () => {
  mint = await testMint();
});
afterAll(() => mint.close());

const invalid = (pointer?: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", ...(pointer === undefined ? {} : { pointer }) });
const hash = "0".repeat(64);

describe.each([[outbox], [notifications]] as [Failing][])("bulk actions, $kind, refuse bad input:", failing => {
  const { system, kind, id } = failing;
  let kenri: TestKenri;
  let people: ReturnType<typeof operators>;
  beforeAll(async () => {
    kenri = await testKenri({}, undefined, mint);
    await kenri.start(`${system}:api`);
    await failing.put(kenri, "alice", 3);
    people = operators(kenri, mint, failing);
  });
  afterAll(() => kenri.close());

  const filter = { user_id: "alice" };
  const good = { action: "requeue", filter, set_hash: hash, expected: 1, reason: "why" };
  const filters: [name: string, filter: unknown, pointer: string][] = [
    ["an empty filter", {}, "/filter"],
    ["no filter", undefined, "/filter"],
    ["null for a filter", null, "/filter"],
    ["a list for a filter", [], "/filter"],
    ["an unknown name", { users: "alice" }, "/filter/users"],
    ["an unknown name beside a good one", { ...filter, $or: 1 }, "/filter/$or"],
    ["an unknown status", { status: "failed" }, "/filter/status"],
    ["a status of elsewhere", { status: kind === "outbox" ? "SENT" : "PUBLISHED" }, "/filter/status"],
    ["an unknown type", { type: "MatchLost" }, "/filter/type"],
    ["null for a value", { user_id: null }, "/filter/user_id"],
    ["an empty user", { user_id: "" }, "/filter/user_id"],
    ["a list of users", { user_id: ["alice"] }, "/filter/user_id"],
    ["an empty error", { error: "" }, "/filter/error"],
    ["an error of 201 characters", { error: "x".repeat(201) }, "/filter/error"],
    ["U+0000", { error: "a\0" }, "/filter/error"],
    ["a lone surrogate", { fingerprint: "\ud800" }, "/filter/fingerprint"],
    ["0 attempts", { min_attempts: 0 }, "/filter/min_attempts"],
    ["101 attempts", { min_attempts: 101 }, "/filter/min_attempts"],
    ["attempts as text", { min_attempts: "3" }, "/filter/min_attempts"],
    ["half an attempt", { min_attempts: 1.5 }, "/filter/min_attempts"],
    ["a date without a time", { created_from: "2026-01-31" }, "/filter/created_from"],
    ["a day that is not there", { created_to: "2026-02-29T00:00:00Z" }, "/filter/created_to"],
    ["the year 0", { created_to: "0000-01-01T00:00:00Z" }, "/filter/created_to"],
    ["a time without a zone", { created_to: "2026-01-31T00:00:00" }, "/filter/created_to"],
    ["infinity", { created_to: "infinity" }, "/filter/created_to"],
  ];
  test.each(filters)("%s", async (_, bad, pointer) => {
    expectRefusal(await people.post("ADMIN", `/ops/${kind}/bulk/preview`, { action: "requeue", filter: bad }), invalid(pointer));
    expectRefusal(await people.post("ADMIN", `/ops/${kind}/bulk`, { ...good, filter: bad }), invalid(pointer));
  });

  const bodies: [name: string, body: unknown, pointer?: string][] = [
    ["no body", "", undefined],
    ["a list", [], undefined],
    ["an unknown action", { ...good, action: "restart" }, "/action"],
    ["no action", { ...good, action: undefined }, "/action"],
    ["no hash", { ...good, set_hash: undefined }, "/set_hash"],
    ["half a hash", { ...good, set_hash: "00" }, "/set_hash"],
    ["no number", { ...good, expected: undefined }, "/expected"],
    ["fewer than nothing", { ...good, expected: -1 }, "/expected"],
    ["a number as text", { ...good, expected: "1" }, "/expected"],
    ["2^31", { ...good, expected: 2 ** 31 }, "/expected"],
    ["no reason", { ...good, reason: undefined }, "/reason"],
    ["a blank reason", { ...good, reason: " \u3000" }, "/reason"],
    ["a reason of 501 characters", { ...good, reason: "x".repeat(501) }, "/reason"],
    ["an unknown field", { ...good, force: true }, "/force"],
  ];
  test.each(bodies)("%s", async (_, body, pointer) =>
    expectRefusal(await people.post("ADMIN", `/ops/${kind}/bulk`, body), invalid(pointer)),
  );

  const operation = `/ops/operations/${crypto.randomUUID()}`;
  const missing: Refusal = { status: 404, code: "NOT_FOUND" };
  const requests: [method: string, path: string, body: unknown, refusal: Refusal][] = [
    ["GET", operation, undefined, missing],
    ["GET", `${operation}/items`, undefined, missing],
    ["POST", `${operation}/cancel`, { reason: "why" }, missing],
    ["POST", `${operation}/cancel`, {}, invalid("/reason")],
    ["POST", `/ops/${kind}/${crypto.randomUUID()}/discard`, { reason: "why" }, missing],
    ["POST", `/ops/${kind}/${crypto.randomUUID()}/discard`, {}, invalid("/reason")],
    ["POST", `/ops/${kind}/x/discard`, { reason: "why" }, invalid(`/${id}`)],
    ["GET", "/ops/operations/x", undefined, invalid("/operation_id")],
    ["GET", `${operation}/items?result=LOST`, undefined, invalid("/result")],
    ["GET", `${operation}/items?outcome=LOST`, undefined, invalid("/outcome")],
    ["GET", `${operation}/items?outcome=delivered`, undefined, invalid("/outcome")],
    ["GET", `${operation}/items?result=SKIPPED&outcome=DELIVERED`, undefined, invalid("/outcome")],
    ["POST", `/ops/${kind}/${crypto.randomUUID()}/retry`, { reason: "why" }, missing],
    ["POST", `/ops/${kind}/${crypto.randomUUID()}/retry`, {}, invalid("/reason")],
    ["POST", `/ops/${kind}/${crypto.randomUUID()}/retry`, { reason: " " }, invalid("/reason")],
    ["POST", `/ops/${kind}/${crypto.randomUUID()}/retry`, { reason: "x".repeat(501) }, invalid("/reason")],
    ["POST", `/ops/${kind}/${crypto.randomUUID()}/retry`, { reason: "why", at: "now" }, invalid("/at")],
    ["POST", `/ops/${kind}/${crypto.randomUUID()}/retry`, "", invalid()],
    ["POST", `/ops/${kind}/x/retry`, { reason: "why" }, invalid(`/${id}`)],
    ["GET", "/ops/operations?limit=201", undefined, invalid("/limit")],
    ["GET", "/ops/operations?cursor=AAAA", undefined, invalid()],
    ["GET", "/ops/operations?status=DONE", undefined, invalid("/status")],
    ["PUT", `/ops/${kind}/bulk/preview`, { action: "requeue", filter }, { status: 405, code: "METHOD_NOT_ALLOWED" }],
  ];
  test.each(requests)("%s %s", async (method, path, body, refusal) =>
    expectRefusal(await people.ask("ADMIN", method, path, body), refusal),
  );

  const standing = { account_status: "ACTIVE", roles: ["OPERATOR"] };
  test.each([
    ["an account status that is none", { ...standing, account_status: "GONE" }, "/account_status"],
    ["no account status", { roles: [] }, "/account_status"],
    ["no roles", { account_status: "ACTIVE" }, "/roles"],
    ["one role", { ...standing, roles: "ADMIN" }, "/roles"],
    ["101 roles", { ...standing, roles: Array(101).fill("USER") }, "/roles"],
    ["something else", { ...standing, until: "tomorrow" }, "/until"],
  ])("the standing of a person: %s", async (_, body, pointer) => {
    expectRefusal(await people.ask("GATEWAY", "PUT", "/operation-actors/otto", body), invalid(pointer));
  });
  test.each(["USER", "VIEWER", "OPERATOR", "ADMIN", "a key"])("%s can neither send it nor list the actors", async role => {
    const who = role === "a key" ? kenri.key : role;
    expectRefusal(await people.ask(who, "PUT", "/operation-actors/otto", standing), { status: 403, code: "FORBIDDEN" });
    expectRefusal(await people.ask(who, "GET", "/operation-actors"), { status: 403, code: "FORBIDDEN" });
  });

  test("and nothing was written", async () => {
    const sql = failing.sql(kenri);
    for (const table of ["operations", "operation_items", "operator_actions"]) expect(await sql`select from ${sql(table)}`).toHaveLength(0);
    expect(await sql`select from ${sql(failing.table)} where status = 'FAILED'`).toHaveLength(3);
    expect(await kenri.metric(system, "kenri_http_request_seconds_count", 'status="5')).toBe(0);
  });
});
