import { expect, test } from "bun:test";
import { unavailable } from "./problem.ts";
import { requestTurns } from "./request_turns.ts";

const request = () => new Request("http://kenri.test/");
const options = { atOnce: 3, perOwner: 2, mostWaiting: 10, mostWaitingPerOwner: 1, wait: 60_000 };
const busy = () => unavailable("too many");

test("a client with many requests leaves turns to others, and its next one begins when one of its own has ended", async () => {
  const turns = requestTurns(options, busy);
  const [first, second, third, other] = [request(), request(), request(), request()];
  await Promise.all([turns.begin(first, "greedy"), turns.begin(second, "greedy")]);
  let hasBegun = false;
  const waiting = turns.begin(third, "greedy").then(() => {
    hasBegun = true;
  });
  await turns.begin(other, "other");
  expect(hasBegun).toBe(false);
  turns.end(first);
  await waiting;
  expect(hasBegun).toBe(true);
});

test("a request takes one turn however often it begins, and its end counts once", async () => {
  const turns = requestTurns({ ...options, perOwner: 1, mostWaitingPerOwner: 0 }, busy);
  const [first, second, third] = [request(), request(), request()];
  await turns.begin(first, "one");
  await turns.begin(first, "one");
  turns.end(first);
  turns.end(first);
  await turns.begin(second, "one");
  await expect(turns.begin(third, "one")).rejects.toMatchObject({ status: 503 });
  turns.end(third); // it never began
  turns.end(second);
  await turns.begin(third, "one");
});

test("a request that gets no turn in time is refused, and takes none afterwards", async () => {
  const turns = requestTurns({ ...options, perOwner: 1, wait: 10 }, busy);
  const [first, second, third] = [request(), request(), request()];
  await turns.begin(first, "one");
  await expect(turns.begin(second, "one")).rejects.toMatchObject({ status: 503 });
  turns.end(first);
  await turns.begin(third, "one");
});
