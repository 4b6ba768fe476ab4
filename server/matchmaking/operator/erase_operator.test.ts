import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Redis } from "../../kernel/redis/redis.ts";
import { testRedis } from "../../testing/redis.ts";
import { actionStore } from "./action_store.ts";
import { eraseOperator } from "./erase_operator.ts";
import { mostActions, operatorKey, pauseStore } from "./pause_store.ts";

let redis: Redis;
beforeAll(async () => {
  redis = await testRedis();
});
afterAll(() => redis.stop());

const pseudonym = "erased-0192a000-0000-4000-8000-000000000009";
const [matcher, relay] = ["matchmaking:matcher", "matchmaking:relay"];

function world() {
  const prefix = `kenri:matchmaking:${crypto.randomUUID()}`;
  const all = { actor: null, action: null, operation_id: null, since: null, until: null, limit: 100, scan: 1000 };
  return {
    pauses: pauseStore(redis, prefix),
    key: operatorKey(prefix, "actions"),
    actions: () => actionStore(redis, prefix).operator_actions.list({ ...all, before_action_id: "~" }),
    // Small pieces, so that a few actions need several.
    erase: (user_id: string, emails: readonly string[] = []) => eraseOperator(redis, prefix, 2)({ user_id, pseudonym, emails }),
    text: async () =>
      JSON.stringify([
        await redis.send("LRANGE", operatorKey(prefix, "actions"), 0, -1),
        await redis.send("HGETALL", operatorKey(prefix, "paused")),
      ]),
  };
}

test("an erased operator is named in no action and no pause; others and what they wrote stay", async () => {
  const { pauses, actions, erase, text } = world();
  for (let n = 0; n < 3; n++) {
    await pauses.pause({ role: matcher, actor: "user:al", reason: "al asked" });
    await pauses.resume({ role: matcher, actor: "user:alice", reason: "alice is not al" });
  }
  await pauses.pause({ role: relay, actor: "user:al", reason: "for al." });
  await pauses.pause({ role: matcher, actor: "user:alice", reason: "maintenance" });
  const before = await actions();
  expect(await erase("al")).toBe(8); // seven actions and a pause
  expect(await text()).not.toMatch(/\bal\b/);
  const rest = ({ action_id, at, action, subject }: (typeof before)[number]) => ({ action_id, at, action, subject });
  expect((await actions()).map(rest)).toEqual(before.map(rest));
  expect((await actions()).map(({ actor, reason }) => [actor, reason]).slice(0, 3)).toEqual([
    ["user:alice", "maintenance"],
    [`user:${pseudonym}`, `for ${pseudonym}.`],
    ["user:alice", `alice is not ${pseudonym}`],
  ]);
  expect((await actions())[2]!.detail).toMatchObject({ paused_by: `user:${pseudonym}`, paused_because: `${pseudonym} asked` });
  expect(await pauses.list()).toMatchObject([
    { role: matcher, paused_by: "user:alice", reason: "maintenance" },
    { role: relay, paused_by: `user:${pseudonym}`, reason: `for ${pseudonym}.` },
  ]);
  expect(await erase("al")).toBe(0);
});

const uuid = "0192a000-0000-7000-8000-000000000001";
test.each([
  ["a UUID, wherever it stands", uuid, `x${uuid.toUpperCase()}y user:${uuid}`, `x${pseudonym}y user:${pseudonym}`],
  ["an id as a word", "al", "al: al. (al) al:gold", `${pseudonym}: ${pseudonym}. (${pseudonym}) ${pseudonym}:gold`],
  ["not a part of another id", "al", "alice al-2 al.b val al@x Al éal", "alice al-2 al.b val al@x Al éal"],
  ["an id with characters that mean something in a pattern", "a.b*(c", "a.b*(c axb*(c", `${pseudonym} axb*(c`],
  ["an id with characters that JSON escapes", 'q"/u', 'by q"/u', `by ${pseudonym}`],
  ["an address, in any case", "u", "Mail Ada@Example.test, not bada@example.test", "Mail erased, not bada@example.test"],
])("a reason without the user: %s", async (_, user, reason, expected) => {
  const { pauses, actions, erase } = world();
  await pauses.pause({ role: relay, actor: "user:somebody", reason });
  await erase(user, ["ada@example.test"]);
  expect([(await actions())[0]!.reason, (await pauses.list())[0]!.reason]).toEqual([expected, expected]);
});

test("an action that another program wrote is searched as a text", async () => {
  const { key, erase, text } = world();
  await redis.send("LPUSH", key, "not json, of al", "7", '"al"', "[1]");
  expect(await erase("al")).toBe(2);
  expect(JSON.parse(await text())[0]).toEqual(["[1]", `"${pseudonym}"`, "7", `not json, of ${pseudonym}`]);
});

test("the newest actions are kept, up to a number", async () => {
  const { pauses, key } = world();
  const old = Array.from({ length: mostActions }, (_, n) => String(n));
  await redis.send("RPUSH", key, ...old);
  await pauses.pause({ role: relay, actor: "user:al", reason: "r" });
  await pauses.resume({ role: relay, actor: "user:al", reason: "r" });
  expect(await redis.send<number>("LLEN", key)).toBe(mostActions);
  expect(await redis.send<string>("LINDEX", key, -1)).toBe(String(mostActions - 3));
});
