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

test("however many ask the same, it is asked once in a while; another question is asked for itself", async () => {
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

test("after the time it is asked anew, and no time at all shares what is under way and nothing else", async () => {
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

test("a failure is told to those who waited for it, and not kept", async () => {
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

test("what is forgotten is asked anew, also what was under way, and what ends late does not come back", async () => {
  const { asked, ask } = oracle();
  const answers = sharedReads(60_000);
  const shared = answers.share(ask);
  const before = shared("x");
  answers.forget();
  const after = shared("x");
  asked[1]!.answer("after");
  expect(await after).toBe("after");
  asked[0]!.answer("before");
  expect(await before).toBe("before");
  expect([await shared("x"), asked.length]).toEqual(["after", 2]);
});

test("one that was forgotten and fails late takes nothing with it", async () => {
  const { asked, ask } = oracle();
  const answers = sharedReads(60_000);
  const shared = answers.share(ask);
  const before = shared("x");
  answers.forget();
  const after = shared("x");
  asked[0]!.fail(new Error("away"));
  await expect(before).rejects.toThrow("away");
  expect(shared("x")).toBe(after);
});

test("who asks ever other things takes a bounded memory, and what is stale is dropped", async () => {
  const few = sharedReads(60_000, 3);
  const shared = few.share(async (n: number) => n);
  for (let n = 0; n < 10; n++) await shared(n);
  expect(few.size()).toBe(3);
  const brief = sharedReads(0);
  const passing = brief.share(async (n: number) => n);
  for (let n = 0; n < 10; n++) await passing(n);
  expect(brief.size()).toBe(1);
});

test("nobody can change what the others hear", async () => {
  const row = { payload: { user_id: "alice" }, data: new Uint8Array([1]) };
  const answer = await sharedReads(60_000).share(async () => [row])();
  expect(() => answer.push(row)).toThrow(TypeError);
  expect(() => Object.assign(answer[0]!.payload, { user_id: "•••" })).toThrow(TypeError);
});
