import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type TestMatchmaking, testMatchmaking } from "../../testing/matchmaking.ts";
import { isPausedIn, type RoleAnswer } from "../../testing/pausing.ts";
import { testRedis } from "../../testing/redis.ts";
import type { Queue } from "./queue_routes.ts";

interface Action {
  readonly action_id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly reason: string;
  readonly detail: { readonly paused_by?: string; readonly paused_at?: string };
}

let matchmaking: TestMatchmaking;
beforeAll(async () => {
  matchmaking = await testMatchmaking();
});
afterAll(() => matchmaking.close());

const act = (who: string, action: string, role = "matcher", reason = "maintenance") =>
  matchmaking.ask(who.toLowerCase(), "POST", `/ops/roles/${role}/${action}`, { reason }, [who]);
const roleIn = async (answer: ReturnType<typeof act>) => JSON.parse((await answer).text) as RoleAnswer;
const queue = async () => (await matchmaking.ops<{ queues: Queue[] }>("queues")).queues.find(({ mode }) => mode === "casual")!;

test("a paused matcher pairs nobody, also after a restart, and joins are accepted; a resume pairs them", async () => {
  const { kenri } = matchmaking;
  const api = await kenri.start("matchmaking:api");
  const first = kenri.launch("matchmaking:matcher");
  await first.healthUrl();
  expect((await roleIn(act("OPERATOR", "pause"))).paused).toMatchObject({ paused_by: "user:operator", reason: "maintenance" });
  await isPausedIn("matchmaking:matcher", api, first);
  const tickets = [await matchmaking.join("ann"), await matchmaking.join("bob")];
  expect(await first.stop()).toBe(0);
  const second = kenri.launch("matchmaking:matcher");
  await second.logged("role.paused");
  await until("it has looked", 10_000, async () => (await second.metric("kenri_matchmaking_queue_depth", 'mode="casual"')) === 2);
  expect((await queue()).waiting).toBe(2);
  await act("OPERATOR", "resume", "matcher", "done");
  const status = async () => (await matchmaking.read("ann", tickets[0]!.ticket_id)).status;
  await until("they are paired", 5000, async () => (await status()) === "MATCHED");
  await second.stop();
});

test("a paused relay keeps the matches; a resume publishes them", async () => {
  const { kenri } = matchmaking;
  await act("ADMIN", "pause", "relay");
  const workers = kenri.launch("matchmaking:matcher matchmaking:relay");
  await workers.logged("role.paused");
  await matchmaking.join("cid");
  await matchmaking.join("dan");
  await until("they are paired", 10_000, async () => (await queue()).unpublished === 2); // and the match of before
  await act("ADMIN", "resume", "relay");
  await until("they are published", 10_000, async () => (await queue()).unpublished === 0);
  await workers.stop();
});

test("each change is one action of the audit, newest first; a repetition is none", async () => {
  await act("OPERATOR", "resume");
  await act("OPERATOR", "pause", "relay", "again");
  await act("ADMIN", "pause", "relay", "in vain");
  const { actions } = await matchmaking.ops<{ actions: Action[] }>("actions");
  expect(actions.map(({ actor, action, subject, reason, detail }) => [actor, action, subject, reason, detail.paused_by ?? null])).toEqual([
    ["user:operator", "role.pause", "matchmaking:relay", "again", null],
    ["user:admin", "role.resume", "matchmaking:relay", "maintenance", "user:admin"],
    ["user:admin", "role.pause", "matchmaking:relay", "maintenance", null],
    ["user:operator", "role.resume", "matchmaking:matcher", "done", "user:operator"],
    ["user:operator", "role.pause", "matchmaking:matcher", "maintenance", null],
  ]);
  expect(actions.every(({ at }) => Math.abs(Date.parse(at) - Date.now()) < 600_000)).toBe(true);
  const page = await matchmaking.ops<{ actions: Action[]; next_cursor: string }>("actions?limit=2&actor=user:admin");
  expect(page.actions.map(({ action }) => action)).toEqual(["role.resume", "role.pause"]);
  const first = await matchmaking.ops<{ actions: Action[]; next_cursor: string }>("actions?limit=2");
  const second = await matchmaking.ops<{ actions: Action[] }>(`actions?limit=2&cursor=${first.next_cursor}`);
  expect(second.actions).toEqual(actions.slice(2, 4));
  const ofRelay = await matchmaking.ops<{ actions: Action[] }>("actions?subject=matchmaking:relay");
  expect(ofRelay.actions).toEqual(actions.slice(0, 3));
  await act("OPERATOR", "resume", "relay");
});

test("an entry that another program wrote is a pause that can be resumed; one in the audit is left out", async () => {
  const prefix = matchmaking.kenri.environment.MATCHMAKING_PREFIX!;
  const redis = await testRedis();
  await redis.send("HSET", `${prefix}:{operators}:paused`, "matchmaking:relay", "not json");
  await redis.send("LPUSH", `${prefix}:{operators}:actions`, "not json");
  await redis.stop();
  const { roles } = await matchmaking.ops<{ roles: RoleAnswer[] }>("pauses");
  expect(roles.find(({ role }) => role === "matchmaking:relay")?.paused?.paused_by).toBe("unknown");
  expect((await roleIn(act("OPERATOR", "resume", "relay", "not mine"))).paused).toBeNull();
  const { actions } = await matchmaking.ops<{ actions: Action[] }>("actions?limit=1");
  expect(actions[0]).toMatchObject({ action: "role.resume", reason: "not mine" });
});

test("an erasure of an operator masks the audit and the pauses", async () => {
  await act("ADMIN", "pause", "relay", "admin has to look");
  const pseudonym = `erased-${crypto.randomUUID()}`;
  const body = { pseudonym, user_id: "admin", emails: ["admin@example.test"], requested_by: "tester", reason: "asked" };
  const answer = await matchmaking.ask("gateway", "POST", "/ops/erasures", body, ["GATEWAY"]);
  // Two pauses, a resume and the present pause.
  expect(JSON.parse(answer.text)).toEqual({ state: "DONE", waiting_for: [], changed: { operator_actions: 4 } });
  const { roles } = await matchmaking.ops<{ roles: RoleAnswer[] }>("pauses");
  const { actions } = await matchmaking.ops<{ actions: Action[] }>("actions");
  expect(roles.find(({ role }) => role === "matchmaking:relay")?.paused).toMatchObject({
    paused_by: `user:${pseudonym}`,
    reason: `${pseudonym} has to look`,
  });
  expect(JSON.stringify([roles, actions])).not.toContain("admin");
  expect(actions.filter(({ actor }) => actor === `user:${pseudonym}`)).toHaveLength(3);
  await act("OPERATOR", "resume", "relay");
});

test("viewers and players are refused, and an unknown role is not found", async () => {
  expect([
    (await act("VIEWER", "pause")).status,
    (await act("USER", "pause")).status,
    (await act("OPERATOR", "pause", "api")).status,
  ]).toEqual([403, 403, 404]);
});
