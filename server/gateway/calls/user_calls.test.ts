import { expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { Problem } from "../../kernel/http/problem.ts";
import { userCalls } from "./user_calls.ts";

/** Calls that end when the test says so. */
function scene(most: number, wait: number) {
  let refusals = 0;
  const inTurn = userCalls({ most, wait, refused: () => refusals++ });
  const running: { user: string; end: () => void; fail: () => void }[] = [];
  let gone = false;
  const call = (user: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    return inTurn(
      user,
      () => gone,
      () => {
        running.push({ user, end: () => resolve("answered"), fail: () => reject(new Error("failed")) });
        return promise;
      },
    ).catch((error: Problem) => error.code ?? "failed");
  };
  return {
    call,
    running,
    refusals: () => refusals,
    leave() {
      gone = true;
    },
  };
}

test("so many of one user are under way at once; the next waits for one to end, and others do not wait", async () => {
  const { call, running } = scene(2, 10_000);
  const calls = [call("alice"), call("alice"), call("alice")];
  await Promise.resolve();
  expect(running.map(one => one.user)).toEqual(["alice", "alice"]);
  const other = call("bob");
  await Promise.resolve();
  expect(running.map(one => one.user)).toEqual(["alice", "alice", "bob"]);
  running[2]!.end();
  expect(await other).toBe("answered");
  running[0]!.fail();
  await until("the third has its turn", 1000, () => running.length === 4);
  for (const one of running) one.end();
  expect(await Promise.all(calls)).toEqual(["failed", "answered", "answered"]);
});

test("one whose turn does not come is refused with 429, and takes no turn with it", async () => {
  const { call, running, refusals } = scene(1, 20);
  const first = call("alice");
  expect(await Promise.all([call("alice"), call("alice")])).toEqual(["TOO_MANY_AT_ONCE", "TOO_MANY_AT_ONCE"]);
  expect(refusals()).toBe(2);
  running[0]!.end();
  expect(await first).toBe("answered");
  const next = call("alice");
  await until("the next goes ahead", 1000, () => running.length === 2);
  running[1]!.end();
  expect(await next).toBe("answered");
});

test("far more than may wait are refused at once", async () => {
  const { call, running } = scene(1, 10_000);
  const calls = Array.from({ length: 20 }, () => call("alice"));
  const early = await Promise.race(calls.slice(9));
  expect(early).toBe("TOO_MANY_AT_ONCE");
  for (let n = 0; n < 9; n++) {
    await until("the next has its turn", 1000, () => running.length === n + 1);
    running[n]!.end();
  }
  expect((await Promise.all(calls)).filter(one => one === "answered")).toHaveLength(9);
});

test("one whose client has gone while it waited asks nothing, and the turn goes on", async () => {
  const { call, running, leave } = scene(1, 10_000);
  const first = call("alice");
  const second = call("alice");
  await until("the first has its turn", 1000, () => running.length === 1);
  leave();
  running[0]!.end();
  expect([await first, await second]).toEqual(["answered", "TOO_MANY_AT_ONCE"]);
  expect(running).toHaveLength(1);
});

test("every turn is given back, however calls end and in whatever order", async () => {
  const { call, running } = scene(3, 5);
  const calls = Array.from({ length: 200 }, async (_, n) => {
    await Bun.sleep(n % 7);
    return call(`user ${n % 2}`);
  });
  const over = Promise.all(calls);
  let isOver = false;
  void over.finally(() => {
    isOver = true;
  });
  let ended = 0;
  await until("all calls have ended", 10_000, () => {
    for (const one of running.splice(0, 1 + (ended % 3))) ended++ % 2 === 0 ? one.end() : one.fail();
    return isOver;
  });
  for (const user of ["user 0", "user 1"]) {
    const again = Array.from({ length: 3 }, () => call(user));
    await until("three have their turn at once", 1000, () => running.length === 3);
    for (const one of running.splice(0)) one.end();
    expect(await Promise.all(again)).toEqual(["answered", "answered", "answered"]);
  }
});
