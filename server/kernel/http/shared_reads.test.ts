import { expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { sharedReads } from "./shared_reads.ts";

/** Answers by hand: each question waits until its answer is given. */
function oracle() {
  const asked: { question: string; answer: (value: unknown) => void; fail: (error: Error) => void }[] = [];
  const ask = (question: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    asked.push({ question, answer: resolve, fail: reject });
    return promise;
  };
  return { asked, ask };
}

test("many callers share one read with the same parameters; other parameters are read by themselves", async () => {
  const { share } = sharedReads(60_000);
  let asked = 0;
  const [one, other] = [share(async (q: { a: number }) => [q.a, ++asked]), share(async (q: { a: number }) => [-q.a, ++asked])];
  expect(await Promise.all([one({ a: 1 }), one({ a: 1 }), other({ a: 1 }), one({ a: 2 }), one({ a: 1 })])).toEqual([
    [1, 1],
    [1, 1],
    [-1, 2],
    [2, 3],
    [1, 1],
  ]);
  expect(await one({ a: 1 })).toEqual([1, 1]);
});

test("after the time it is read again; with no time only loading reads are shared", async () => {
  let asked = 0;
  const soon = sharedReads(20).share(async () => ++asked);
  expect(await soon()).toBe(1);
  await until("it is asked anew", 5000, async () => (await soon()) > 1);
  const { asked: questions, ask } = oracle();
  const never = sharedReads(0).share(ask);
  const together = Promise.all([never("x"), never("x")]);
  expect(questions.length).toBe(1);
  questions[0]!.answer("heard");
  expect(await together).toEqual(["heard", "heard"]);
  void never("x");
  expect(questions.length).toBe(2);
});

test("a failure reaches the callers that waited for it, and is not cached", async () => {
  const { asked, ask } = oracle();
  const shared = sharedReads(60_000).share(ask);
  const waiting = Promise.allSettled([shared("x"), shared("x")]);
  asked[0]!.fail(new Error("away"));
  expect((await waiting).map(one => one.status)).toEqual(["rejected", "rejected"]);
  const again = shared("x");
  asked[1]!.answer("back");
  expect(await again).toBe("back");
  expect(await shared("x")).toBe("back");
});

test("after a clear it is read again, also what was loading, and a late result is not cached", async () => {
  const { asked, ask } = oracle();
  const answers = sharedReads(60_000);
  const shared = answers.share(ask);
  const before = shared("x");
  answers.clear();
  const after = shared("x");
  asked[1]!.answer("after");
  expect(await after).toBe("after");
  asked[0]!.answer("before");
  expect(await before).toBe("before");
  expect([await shared("x"), asked.length]).toEqual(["after", 2]);
});

test("a read from before a clear that fails late removes nothing", async () => {
  const { asked, ask } = oracle();
  const answers = sharedReads(60_000);
  const shared = answers.share(ask);
  const before = shared("x");
  answers.clear();
  const after = shared("x");
  asked[0]!.fail(new Error("away"));
  await expect(before).rejects.toThrow("away");
  expect(shared("x")).toBe(after);
});

test("many different parameters use bounded memory, and stale results are dropped", async () => {
  const few = sharedReads(60_000, 3);
  const shared = few.share(async (n: number) => n);
  for (let n = 0; n < 10; n++) await shared(n);
  expect(few.size()).toBe(3);
  const brief = sharedReads(0);
  const passing = brief.share(async (n: number) => n);
  for (let n = 0; n < 10; n++) await passing(n);
  expect(brief.size()).toBe(1);
});

test("a caller cannot change the result of others", async () => {
  const row = { payload: { user_id: "alice" }, data: new Uint8Array([1]) };
  const answer = await sharedReads(60_000).share(async () => [row])();
  expect(() => answer.push(row)).toThrow(TypeError);
  expect(() => Object.assign(answer[0]!.payload, { user_id: "•••" })).toThrow(TypeError);
});
