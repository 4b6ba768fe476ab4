import { describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { Problem } from "../../kernel/http/problem.ts";
import { DeadlineError } from "../../kernel/life/deadline.ts";
import { batcher, change, databaseError, outcome } from "../../testing/batcher.ts";
import { seeded } from "../../testing/random.ts";

describe("a batch", () => {
  test("runs a single request at once, without waiting for more", async () => {
    const { submit, runs } = batcher();
    const answer = submit(change("a"));
    expect(runs.map(run => run.keys)).toEqual([["a"]]);
    await runs[0]!.succeed();
    expect((await answer).response_body).toBe("a");
  });

  test("takes all that waited meanwhile, up to its size, in the order they came", async () => {
    const { submit, runs } = batcher({ batch: 64 });
    const keys = Array.from({ length: 150 }, (_, n) => `k${n}`);
    const answers = keys.map(key => submit(change(key)));
    for (let n = 0; n < 4; n++) await runs[n]!.succeed();
    expect(runs.map(run => run.keys.length)).toEqual([1, 64, 64, 21]);
    expect(runs.flatMap(run => run.keys)).toEqual(keys);
    expect((await Promise.all(answers)).map(one => one.response_body)).toEqual(keys);
  });

  test("waits for the clients that the batch before has answered, and runs as soon as they have sent again", async () => {
    const { submit, runs } = batcher({ gather: 1e9 });
    for (const key of ["a", "b", "c"]) void submit(change(key));
    await runs[0]!.succeed();
    expect(runs.map(run => run.keys)).toEqual([["a"]]);
    void submit(change("d"));
    expect(runs.map(run => run.keys)).toEqual([["a"], ["b", "c", "d"]]);
  });

  test("does not wait for longer if they do not send again", async () => {
    const { submit, runs } = batcher({ gather: 1e9 });
    for (const key of ["a", "b", "c"]) void submit(change(key));
    await runs[0]!.succeed();
    await until("the next batch runs", 5000, () => runs.length === 2);
    expect(runs[1]!.keys).toEqual(["b", "c"]);
  });

  test("does not wait if it is full, or if the one before was alone", async () => {
    const { submit, runs } = batcher({ batch: 2, gather: 1e9 });
    for (const key of ["a", "b", "c"]) void submit(change(key));
    await runs[0]!.succeed();
    expect(runs.map(run => run.keys)).toEqual([["a"], ["b", "c"]]);
    const alone = batcher({ gather: 1e9 });
    void alone.submit(change("a"));
    await alone.runs[0]!.succeed();
    void alone.submit(change("b"));
    expect(alone.runs.map(run => run.keys)).toEqual([["a"], ["b"]]);
  });

  test("never holds a key or a pair twice; a second one waits for the next", async () => {
    const { submit, runs } = batcher();
    void submit(change("first"));
    for (const [key, user] of [
      ["a", "u1"],
      ["a", "u1"],
      ["a", "u2"],
      ["b", "u1"],
      ["c", "u3"],
    ] as const)
      void submit(change(key, user));
    for (let n = 0; n < runs.length; n++) {
      expect(new Set(runs[n]!.keys).size).toBe(runs[n]!.keys.length);
      expect(new Set(runs[n]!.pairs).size).toBe(runs[n]!.pairs.length);
      await runs[n]!.succeed();
    }
    expect(runs.map(run => run.keys.length).reduce((a, b) => a + b)).toBe(6);
    expect(runs[1]!.keys).toEqual(["a", "c"]);
  });

  test("may hold one key of two clients or two routes", async () => {
    const { submit, runs } = batcher();
    void submit(change("first"));
    void submit(change("a", "u1"));
    void submit({ ...change("a", "u2"), clientId: "other" });
    void submit({ ...change("a", "u3"), route: "/revokes" });
    await runs[0]!.succeed();
    expect(runs[1]!.keys).toEqual(["a", "a", "a"]);
  });

  test("is followed by one with all that came meanwhile, not by one for each; a full one runs beside it", async () => {
    const { submit, runs } = batcher({ lanes: 4, batch: 3 });
    for (const key of ["a", "b", "c"]) void submit(change(key));
    expect(runs.map(run => run.keys)).toEqual([["a"]]);
    void submit(change("d"));
    expect(runs.map(run => run.keys)).toEqual([["a"], ["b", "c", "d"]]);
    for (const key of ["e", "f"]) void submit(change(key));
    await runs[1]!.succeed();
    await runs[0]!.succeed();
    expect(runs.map(run => run.keys)).toEqual([["a"], ["b", "c", "d"], ["e", "f"]]);
  });

  test("that takes long blocks no other: each further one runs in another lane", async () => {
    const { submit, runs } = batcher({ lanes: 3 });
    for (const key of ["slow", "slow too", "c"]) {
      void submit(change(key));
      await until(`${key} runs`, 5000, () => runs.at(-1)?.keys[0] === key, 1);
    }
    const last = submit(change("d"));
    await runs[2]!.succeed();
    expect(runs.map(run => run.keys)).toEqual([["slow"], ["slow too"], ["c"], ["d"]]);
    await runs[3]!.succeed();
    expect((await last).response_body).toBe("d");
  });

  test("runs in as many lanes as there are, and no key or pair is in two of them", async () => {
    const { submit, runs } = batcher({ lanes: 3, batch: 1 });
    for (const [key, user] of [
      ["a", "u1"],
      ["b", "u1"],
      ["a", "u2"],
      ["c", "u3"],
      ["d", "u4"],
      ["e", "u5"],
    ] as const)
      void submit(change(key, user));
    expect(runs.map(run => run.keys[0]!)).toEqual(["a", "c", "d"]);
    await runs[1]!.succeed();
    expect(runs.map(run => run.keys[0]!)).toEqual(["a", "c", "d", "e"]);
    await runs[0]!.succeed();
    expect(runs).toHaveLength(5);
    expect(["u1:item", "u2:item"]).toContain(runs[4]!.pairs[0]!);
  });
});

describe("requests that wait behind another", () => {
  test("run in the order in which they came, however many", async () => {
    const { submit, runs } = batcher({ lanes: 4 });
    const order: string[] = [];
    const done = Array.from({ length: 50 }, (_, n) => submit(change(`k${n}`, "alice")).then(one => order.push(one.response_body)));
    for (let n = 0; n < runs.length; n++) await runs[n]!.succeed();
    await Promise.all(done);
    expect(runs).toHaveLength(50);
    expect(order).toEqual(Array.from({ length: 50 }, (_, n) => `k${n}`));
  });

  test("do not block unrelated requests", async () => {
    const { submit, runs } = batcher({ lanes: 2 });
    for (let n = 0; n < 20; n++) void submit(change(`k${n}`, "alice"));
    const stranger = submit(change("x", "bob"));
    await until("another lane runs", 5000, () => runs.length === 2, 1);
    await runs[1]!.succeed();
    expect((await stranger).response_body).toBe("x");
  });

  test("are all answered, whatever waits behind what", async () => {
    const { submit, runs } = batcher({ lanes: 3, batch: 4 });
    const next = seeded(7);
    const answers = Array.from({ length: 500 }, () => outcome(submit(change(`k${next(12)}`, `u${next(9)}`))));
    for (let n = 0; n < runs.length; n++) {
      expect(new Set(runs[n]!.keys).size).toBe(runs[n]!.keys.length);
      expect(new Set(runs[n]!.pairs).size).toBe(runs[n]!.pairs.length);
      await (n % 5 === 4 ? runs[n]!.fail(databaseError("08006")) : runs[n]!.succeed());
    }
    expect(await Promise.all(answers)).toHaveLength(500);
    expect(runs.flatMap(run => run.keys)).toHaveLength(500);
  });
});

describe("when the statement fails", () => {
  test("a batch runs one by one, and only the failing request is refused", async () => {
    const { submit, runs } = batcher();
    void submit(change("first"));
    const answers = ["a", "bad", "c"].map(key => outcome(submit(change(key))));
    await runs[0]!.succeed();
    await runs[1]!.fail(databaseError("23514"));
    for (let n = 2; n < 5; n++) await (runs[n]!.keys[0] === "bad" ? runs[n]!.fail(databaseError("23514")) : runs[n]!.succeed());
    expect(runs.map(run => run.keys)).toEqual([["first"], ["a", "bad", "c"], ["a"], ["bad"], ["c"]]);
    expect(await Promise.all(answers)).toEqual(["a", "database error 23514", "c"]);
  });

  test.each([
    ["a lost race for a key", databaseError("23505", "idempotency_keys_pkey")],
    ["a deadlock", databaseError("40P01")],
  ])("%s runs the same batch again", async (_, error) => {
    const { submit, runs } = batcher();
    const answer = submit(change("a"));
    for (let n = 0; n < 3; n++) await runs[n]!.fail(error);
    await runs[3]!.succeed();
    expect((await answer).response_body).toBe("a");
  });

  test("a race that is never won ends", async () => {
    const { submit, runs } = batcher();
    const answer = outcome(submit(change("a")));
    for (let n = 0; n < runs.length; n++) await runs[n]!.fail(databaseError("23505", "idempotency_keys_pkey"));
    expect(await answer).toBe("database error 23505");
    expect(runs.length).toBeLessThan(20);
  });

  test("another unique violation is not taken for a race", async () => {
    const { submit, runs } = batcher();
    const answer = outcome(submit(change("a")));
    await runs[0]!.fail(databaseError("23505", "outbox_events_pkey"));
    expect(await answer).toBe("database error 23505");
    expect(runs).toHaveLength(1);
  });

  test.each([
    ["a closed connection", databaseError("CONNECTION_CLOSED")],
    ["a deadline", new DeadlineError("change", 5000)],
  ])("%s refuses the whole batch at once, and the next goes on", async (_, error) => {
    const { submit, runs } = batcher();
    void submit(change("first"));
    const answers = ["a", "b", "c"].map(key => outcome(submit(change(key))));
    await runs[0]!.succeed();
    await runs[1]!.fail(error);
    expect(await Promise.all(answers)).toEqual(Array(3).fill(error.message));
    const later = submit(change("a"));
    await runs[2]!.succeed();
    expect((await later).response_body).toBe("a");
    expect(runs).toHaveLength(3);
  });

  test("a pair that another transaction has locked fails only its own request", async () => {
    const { submit, runs } = batcher();
    void submit(change("first"));
    const answers = ["a", "locked", "c"].map(key => outcome(submit(change(key))));
    await runs[0]!.succeed();
    await runs[1]!.fail(databaseError("55P03"));
    for (let n = 2; n < runs.length; n++)
      await (runs[n]!.keys[0] === "locked" ? runs[n]!.fail(databaseError("55P03")) : runs[n]!.succeed());
    expect(await Promise.all(answers)).toEqual(["a", "database error 55P03", "c"]);
  });
});

describe("the queue", () => {
  test("refuses more than it holds with 503 and Retry-After, and takes again when there is room", async () => {
    const { submit, runs } = batcher({ queue: 3 });
    const answers = [change("a"), change("a"), change("b", "a")].map(one => submit(one));
    const refused = (await submit(change("c")).catch(error => error)) as Problem;
    expect([refused.status, refused.options.headers]).toEqual([503, { "retry-after": "1" }]);
    for (let n = 0; n < 3; n++) await runs[n]!.succeed();
    await Promise.all(answers);
    for (const round of ["x", "y"]) {
      const full = [1, 2, 3].map(n => submit(change(`${round}${n}`)));
      expect(await submit(change("z")).catch(() => "refused")).toBe("refused");
      for (let n = 0; n < runs.length; n++) await runs[n]!.succeed();
      expect(await Promise.all(full)).toHaveLength(3);
    }
  });

  test("takes a request of another client in place of the newest of the client with the most, which is refused", async () => {
    const { submit, runs } = batcher({ queue: 4 });
    const flood = ["a", "b", "c", "d"].map(key => outcome(submit(change(key, "hot", "flood"))));
    const answer = submit(change("x", "bob", "shop"));
    const newest = (await flood[3]!) as string;
    expect(newest).toBe("UNAVAILABLE: too many requests of this client are waiting; nothing was changed, try again");
    expect(await outcome(submit(change("e", "hot", "flood")))).toBe("UNAVAILABLE: too many requests are waiting; try again");
    for (let n = 0; n < runs.length; n++) await runs[n]!.succeed();
    expect([await Promise.all(flood.slice(0, 3)), (await answer).response_body]).toEqual([["a", "b", "c"], "x"]);
    expect(runs.flatMap(run => run.keys).sort()).toEqual(["a", "b", "c", "x"]);
  });

  test("lets those go on that waited behind a request that is refused", async () => {
    const { submit, runs } = batcher({ queue: 5 });
    const first = submit(change("first"));
    const flood = ["a", "b", "alice"].map(user => outcome(submit(change(`f-${user}`, user, "flood"))));
    const behind = submit(change("x", "alice", "shop"));
    const answer = submit(change("y", "bob", "third"));
    expect(await flood[2]!).toContain("too many requests of this client");
    await runs[0]!.succeed();
    await runs[1]!.succeed();
    expect((await Promise.all([first, behind, answer])).map(one => one.response_body)).toEqual(["first", "x", "y"]);
    expect(runs[1]!.keys.toSorted()).toEqual(["f-a", "f-b", "x", "y"]);
  });

  test("does not exchange the requests of clients that have as many", async () => {
    const { submit, runs } = batcher({ queue: 3 });
    const answers = [change("a", "a", "one"), change("b", "b", "two"), change("c", "c", "three")].map(one => outcome(submit(one)));
    expect(await outcome(submit(change("d", "d", "four")))).toBe("UNAVAILABLE: too many requests are waiting; try again");
    for (let n = 0; n < runs.length; n++) await runs[n]!.succeed();
    expect(await Promise.all(answers)).toEqual(["a", "b", "c"]);
  });

  test("asks a client with many waiting for a longer pause than one with few", async () => {
    const { submit, runs } = batcher({ queue: 2000 });
    const flood = Array.from({ length: 2000 }, (_, n) => outcome(submit(change(`f${n}`, "hot", "flood"))));
    const refused = (await submit(change("more", "hot", "flood")).catch(error => error)) as Problem;
    expect(refused.options.headers).toEqual({ "retry-after": "4" });
    await runs[0]!.fail(new DeadlineError("change", 5000));
    expect(await Promise.all(flood)).toHaveLength(2000);
  });

  test("is free again after failures too", async () => {
    const { submit, runs } = batcher({ queue: 2 });
    for (let round = 0; round < 5; round++) {
      const answers = [submit(change("a")), submit(change("b"))].map(outcome);
      for (let n = 0; n < runs.length; n++) await runs[n]!.fail(databaseError("08006"));
      expect(await Promise.all(answers)).toEqual(Array(2).fill("database error 08006"));
    }
  });
});

describe("clients take turns", () => {
  test("in a batch: few requests of one do not wait behind many of another", async () => {
    const { submit, runs } = batcher({ batch: 8 });
    for (let n = 0; n < 100; n++) void submit(change(`f${n}`, `f${n}`, "flood"));
    for (const key of ["x", "y"]) void submit(change(key, key, "shop"));
    await runs[0]!.succeed();
    expect(runs[1]!.keys).toEqual(["f1", "x", "f2", "y", "f3", "f4", "f5", "f6"]);
  });

  test("behind a pair that all of them change", async () => {
    const { submit, runs } = batcher();
    for (let n = 0; n < 100; n++) void submit(change(`f${n}`, "hot", "flood"));
    void submit(change("x", "hot", "shop"));
    for (let n = 0; n < 3; n++) await runs[n]!.succeed();
    expect(runs.flatMap(run => run.keys).slice(0, 4)).toContain("x");
  });
});

describe("a request that waited too long", () => {
  test.each([
    ["ready, while the lanes are busy", "other"],
    ["behind a pair", "first"],
  ])("%s, is refused with 503 and Retry-After, and never runs", async (_, user) => {
    const { submit, runs } = batcher({ wait: 20 });
    const first = submit(change("first"));
    const refused = (await submit(change("late", user)).catch(error => error)) as Problem;
    expect([refused.status, refused.detail, refused.options.headers]).toEqual([
      503,
      "the request waited too long for its turn; nothing was changed, try again",
      { "retry-after": "1" },
    ]);
    await runs[0]!.succeed();
    expect([(await first).response_body, runs.length]).toEqual(["first", 1]);
  });

  test("is not refused if it runs already: its result is its response", async () => {
    const { submit, runs } = batcher({ wait: 10 });
    const answer = submit(change("a"));
    await outcome(submit(change("b")));
    await runs[0]!.succeed();
    expect((await answer).response_body).toBe("a");
  });
});

test("the relay is woken after a commit that made events, and only then", async () => {
  const { submit, runs, commits } = batcher();
  const answers = ["a", "b"].map(key => outcome(submit(change(key))));
  await runs[0]!.succeed();
  expect(commits()).toBe(1);
  await runs[1]!.fail(databaseError("08006"));
  await Promise.all(answers);
  expect(commits()).toBe(1);
});
