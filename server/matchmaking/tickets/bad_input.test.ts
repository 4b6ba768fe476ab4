import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Redis } from "../../kernel/redis/redis.ts";
import { badBodies, invalid } from "../../testing/bad_requests.ts";
import { type TestMatchmaking, testMatchmaking } from "../../testing/matchmaking.ts";
import { testRedis } from "../../testing/redis.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";
import { goodClaims, tokenAttacks } from "../../testing/token_attacks.ts";

let matchmaking: TestMatchmaking;
let redis: Redis;
beforeAll(async () => {
  matchmaking = await testMatchmaking();
  redis = await testRedis();
  await matchmaking.kenri.start("matchmaking:api");
});
afterAll(async () => {
  expect(await keys()).toEqual([]); // no refused request has left anything
  await redis.stop();
  await matchmaking.close();
});

const keys = () => redis.send<string[]>("KEYS", `${matchmaking.kenri.environment.MATCHMAKING_PREFIX}*`);
const casual = "/v1/matchmaking/queues/casual/tickets";
const rank = "/v1/matchmaking/queues/rank/tickets";
const good = { idempotency_key: "key", party_size: 1, attributes: {} };
const withAttributes = (json: string) => `{"party_size": 1, "attributes": ${json}, "idempotency_key": "key"}`;
const ask = (body: unknown, path = casual) => matchmaking.ask("alice", "POST", path, body);

describe("a body", () => {
  const bodies = badBodies({ idempotency_key: "key" }).map(([name, body, refusal]) => [name, body, refusal] as const);
  test.each(bodies)("%s is refused", async (_, body, refusal) => {
    const response = await fetch(`${matchmaking.kenri.urlOf("matchmaking")}${casual}`, {
      method: "POST",
      headers: { authorization: `Bearer ${await matchmaking.mint.token("matchmaking", "alice")}`, "content-type": "application/json" },
      body,
    });
    expectRefusal({ status: response.status, headers: response.headers, text: await response.text() }, {
      status: refusal.status,
      code: refusal.code,
    } as Refusal);
  });

  test.each([
    ["party_size 0", { ...good, party_size: 0 }, "/party_size"],
    ["party_size 2", { ...good, party_size: 2 }, "/party_size"],
    ['party_size "1"', { ...good, party_size: "1" }, "/party_size"],
    ["party_size 1.5", { ...good, party_size: 1.5 }, "/party_size"],
    ["no party_size", { attributes: {}, idempotency_key: "key" }, "/party_size"],
    ["no attributes", { party_size: 1, idempotency_key: "key" }, "/attributes"],
    ["attributes that are a list", { ...good, attributes: [] }, "/attributes"],
    ["attributes that are text", { ...good, attributes: "fast" }, "/attributes"],
    ["attributes null", { ...good, attributes: null }, "/attributes"],
    ["a nested attribute", { ...good, attributes: { a: { b: 1 } } }, "/attributes/a"],
    ["a list as an attribute", { ...good, attributes: { a: [1] } }, "/attributes/a"],
    ["null as an attribute", { ...good, attributes: { a: null } }, "/attributes/a"],
    ["a text of 201 characters", { ...good, attributes: { a: "x".repeat(201) } }, "/attributes/a"],
    ["a text with U+0000", { ...good, attributes: { a: "x\0" } }, "/attributes/a"],
    ["17 attributes", { ...good, attributes: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`a${n}`, n])) }, "/attributes"],
    [
      "more than 2 KiB",
      { ...good, attributes: Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`a${n}`, "x".repeat(150)])) },
      "/attributes",
    ],
    ["an empty name", { ...good, attributes: { "": 1 } }, "/attributes"],
    ["a name with a space", { ...good, attributes: { "a b": 1 } }, "/attributes"],
    ["a name of 65 characters", { ...good, attributes: { ["a".repeat(65)]: 1 } }, "/attributes"],
    ["constructor as a name", { ...good, attributes: { constructor: 1 } }, "/attributes"],
    ["an unknown field", { ...good, rating: 1 }, "/rating"],
    ["no idempotency_key", { party_size: 1, attributes: {} }, "/idempotency_key"],
    ["an empty idempotency_key", { ...good, idempotency_key: "" }, "/idempotency_key"],
    ["an idempotency_key with a space", { ...good, idempotency_key: "a b" }, "/idempotency_key"],
    ["an idempotency_key of 256 characters", { ...good, idempotency_key: "k".repeat(256) }, "/idempotency_key"],
    ["an idempotency_key with a control character", { ...good, idempotency_key: "a\n" }, "/idempotency_key"],
    ["an idempotency_key that is not ASCII", { ...good, idempotency_key: "ключ" }, "/idempotency_key"],
    ["an idempotency_key that is a number", { ...good, idempotency_key: 1 }, "/idempotency_key"],
  ])("with %s is refused", async (_, body, pointer) => {
    expectRefusal(await ask(body), invalid(pointer));
  });

  test.each([
    ["1e400", '{"a": 1e400}'],
    ["2^53+1", '{"a": 9007199254740993}'],
    ["a lone surrogate", '{"a": "\\ud800"}'],
    ["__proto__", '{"__proto__": {"a": 1}}'],
    ["__proto__ as a text", '{"__proto__": "a"}'],
    ["a name twice", '{"a": 1, "a": 2}'],
  ])("with %s as an attribute is refused", async (_, attributes) => {
    expectRefusal(await ask(withAttributes(attributes)), invalid());
  });

  test.each([
    ["no rating", "{}"],
    ["a rating as text", '{"rating": "1500"}'],
    ["a rating that is true", '{"rating": true}'],
    ["a negative rating", '{"rating": -1}'],
    ["a rating above the highest", '{"rating": 10001}'],
  ])("for a mode by rating with %s is refused", async (_, attributes) => {
    expectRefusal(await ask(withAttributes(attributes), rank), invalid("/attributes/rating"));
  });
});

describe("a path", () => {
  test.each(["ranked", "CASUAL", "casual%20", "..%2fcasual", "%7bcasual%7d", "x".repeat(150)])(
    "with the mode %s is not found",
    async mode => {
      const answer = await ask(good, `/v1/matchmaking/queues/${mode}/tickets`);
      expectRefusal(answer, { status: 404, code: "MODE_NOT_FOUND" });
    },
  );

  test.each(["not-a-uuid", "1", "%00", "01920000-0000-7000-8000-00000000000g", "x".repeat(200)])(
    "with the ticket %s is refused",
    async id => {
      for (const method of ["GET", "DELETE"])
        expectRefusal(await matchmaking.ask("alice", method, `/v1/matchmaking/tickets/${id}`), invalid());
    },
  );

  test("with an unknown parameter is refused, and a wrong method names the right ones", async () => {
    expectRefusal(await matchmaking.ask("alice", "GET", "/v1/matchmaking/queues?all=1"), invalid());
    expectRefusal(await matchmaking.ask("operator", "GET", "/ops/matches?mode=x", undefined, ["OPERATOR"]), invalid());
    for (const limit of ["0", "201", "-1", "1e3", "x"])
      expectRefusal(await matchmaking.ask("operator", "GET", `/ops/matches?limit=${limit}`, undefined, ["OPERATOR"]), invalid());
    expectRefusal(await matchmaking.ask("alice", "PUT", casual, good), { status: 405, code: "METHOD_NOT_ALLOWED" });
  });
});

describe("a caller", () => {
  test("without a token, with an API key or with a bare user id is refused", async () => {
    expectRefusal(await matchmaking.ask(undefined, "POST", casual, good), { status: 401, code: "UNAUTHORIZED" });
    const send = (headers: Record<string, string>) =>
      fetch(`${matchmaking.kenri.urlOf("matchmaking")}${casual}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(good),
      });
    expect((await send({ authorization: `Bearer ${matchmaking.kenri.key}` })).status).toBe(401);
    expect((await send({ "x-user-id": "alice" })).status).toBe(401);
  });

  test("with a token that is forged, expired or for another service is refused", async () => {
    for (const [name, forge] of tokenAttacks) {
      const token = await forge(matchmaking.mint, goodClaims("matchmaking", "alice", ["USER"]));
      const response = await fetch(`${matchmaking.kenri.urlOf("matchmaking")}${casual}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify(good),
      });
      expect([name, response.status]).toEqual([name, 401]);
    }
  });
});
