import { expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { countClaimed, dueBound } from "./due_bound.ts";

const running = () => true;

/** A backlog of 40 rows, due at 01, 02 …. A look reaches 10; `free` are those that can be claimed. */
async function backlog(...free: number[]) {
  const text = (due: number) => String(due).padStart(2, "0");
  const looks: string[] = [];
  const bound = dueBound(async from => {
    const start = from === "-infinity" ? 0 : Number(from);
    return { bound: text(0), reach: start + 10 < 40 ? text(start + 10) : null };
  }, Number.POSITIVE_INFINITY);
  await bound.advance();
  const claimFrom = async (from: string) => {
    looks.push(from);
    const taken = free.filter(due => due > Number(from) && due <= Number(from) + 10);
    return countClaimed(taken.map(due => ({ aggregate_key: `pair ${due}` })));
  };
  return { looks, claim: (limit = 5, places?: number) => bound.claim(limit, claimFrom, running, places) };
}

test("behind a front of few pairs each claim also looks further back, at another place each time", async () => {
  const { looks, claim } = await backlog(1, 15, 25, 35);
  expect([await claim(), await claim(), await claim(), await claim()]).toEqual([2, 2, 2, 2]);
  expect(looks).toEqual(["00", "10", "00", "20", "00", "30", "00", "10"]);
});

test("if the whole front is blocked, the search goes on to the end of the backlog and no further", async () => {
  const { looks, claim } = await backlog(38);
  expect(await claim()).toBe(1);
  expect(looks).toEqual(["00", "10", "20", "30"]);
  expect(await (await backlog()).claim()).toBe(0);
});

test("a search with a limit ends after so many places, and the next one goes on behind them", async () => {
  const { looks, claim } = await backlog(38);
  expect([await claim(5, 2), looks]).toEqual([0, ["00", "10", "20"]]);
  expect([await claim(5, 2), looks.slice(3)]).toEqual([1, ["00", "30"]]);
});

test("a front with enough pairs is claimed alone: the oldest first", async () => {
  const { looks, claim } = await backlog(1, 2, 3, 4, 5, 15);
  expect(await claim(5)).toBe(5);
  expect(looks).toEqual(["00"]);
});

test("the bound moves after a claim, at most four times a second, and otherwise only to start again", async () => {
  const moves: string[] = [];
  const bound = dueBound(async from => {
    moves.push(from);
    return { bound: "05" };
  }, 3_600_000);
  const claim = (count: number) => bound.claim(count, async () => ({ count, aggregates: count }), running);
  await bound.follow();
  await bound.follow();
  expect(moves).toEqual(["-infinity"]);
  await claim(0);
  await bound.follow();
  expect(moves).toHaveLength(1);
  await claim(3);
  await until("it may move again", 2000, async () => {
    await bound.follow();
    return moves.length === 2;
  });
  await claim(3);
  await bound.follow();
  expect(moves).toEqual(["-infinity", "05"]);
});
