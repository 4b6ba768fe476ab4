import { describe, expect, test } from "bun:test";
import { type Log, silentLog } from "./log.ts";
import { createRepeats, flushRepeats, repeatsOf } from "./repeats.ts";

type Line = Record<string, unknown> & { readonly level: string; readonly msg: string };

/** A log whose lines are kept, and a clock that the test moves. `pass` sweeps once a second, as a process does. */
function world() {
  const lines: Line[] = [];
  let now = Date.parse("2026-01-01T00:00:00Z");
  const levels = ["debug", "info", "warn", "error"].map(level => [
    level,
    (fields: object, msg: string) => void lines.push({ ...fields, level, msg }),
  ]);
  const log = Object.assign(Object.create(silentLog), Object.fromEntries(levels)) as Log;
  const repeats = createRepeats(log, () => now);
  const pass = (seconds: number, each: (second: number) => void = () => {}) => {
    for (let second = 1; second <= seconds; second++) {
      now += 1000;
      each(second);
      repeats.sweep();
    }
  };
  return { lines, log, repeats, pass };
}

/** How many times something went wrong, as the lines tell it: a line without `repeats` stands for itself. */
const counted = (lines: readonly Line[]) => lines.reduce((sum, { repeats }) => sum + Number(repeats ?? 1), 0);

test("a line that repeats is written at once, then after 10 s, a minute and every ten minutes, with a count; then that it is over", () => {
  const { lines, repeats, pass } = world();
  const fail = () => repeats.write("warn", { loop: "a" }, "loop.failed", { key: "a" });
  fail();
  pass(1300, fail);
  repeats.over("loop.failed", "a", { loop: "a" }, "loop.works_again");
  pass(4);
  expect(lines.map(({ msg, repeats }) => [msg, repeats])).toEqual([
    ["loop.failed", undefined],
    ["loop.failed", 10],
    ["loop.failed", 60],
    ["loop.failed", 600],
    ["loop.failed", 600],
  ]);
  pass(1);
  expect(lines.at(-1)).toEqual({
    level: "info",
    msg: "loop.works_again",
    loop: "a",
    failures: 1301,
    since: "2026-01-01T00:00:00.000Z",
    seconds: 1300,
  });
  fail();
  expect(lines.at(-1)).toEqual({ level: "warn", msg: "loop.failed", loop: "a" });
});

test("what works now and then is not over: it is one trouble", () => {
  const { lines, repeats, pass } = world();
  pass(600, second => {
    if (second % 3 === 0) repeats.over("loop.failed", "a", {}, "loop.works_again");
    else repeats.write("warn", {}, "loop.failed", { key: "a" });
  });
  expect(lines.map(({ msg }) => msg)).toEqual(Array(3).fill("loop.failed"));
  pass(10);
  expect(lines.at(-1)).toMatchObject({ msg: "loop.works_again", failures: 400 });
});

test("nothing is over that had no line, and other keys are other troubles", () => {
  const { lines, repeats, pass } = world();
  expect(repeats.over("loop.failed", "a", {}, "loop.works_again")).toBe(false);
  repeats.write("warn", { loop: "a" }, "loop.failed", { key: "a" });
  repeats.write("warn", { loop: "b" }, "loop.failed", { key: "b" });
  expect(repeats.over("loop.failed", "a", {}, "loop.works_again")).toBe(true);
  pass(6);
  expect(lines.map(({ msg, loop }) => [msg, loop])).toEqual([
    ["loop.failed", "a"],
    ["loop.failed", "b"],
    ["loop.works_again", undefined],
  ]);
});

describe("lines about rows:", () => {
  const fail = ({ repeats }: ReturnType<typeof world>, row: number) =>
    repeats.write("warn", { event_id: row }, "outbox.retry", { key: "PENDING", burst: 20 });

  test("the first ones are written, a flood is summed up with the last row, and every one is counted", () => {
    const one = world();
    let row = 0;
    one.pass(600, () => {
      for (let n = 0; n < 100; n++) fail(one, ++row);
    });
    one.repeats.flush();
    expect(one.lines.slice(0, 20).map(({ event_id }) => event_id)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(one.lines.length).toBeLessThan(40);
    expect(one.lines.at(-1)).toMatchObject({ event_id: row, since: "2026-01-01T00:00:01.000Z" });
    expect(counted(one.lines)).toBe(row);
  });

  test("one a minute is always written", () => {
    const one = world();
    for (let row = 1; row <= 60; row++) {
      fail(one, row);
      one.pass(60);
    }
    expect(one.lines.map(({ event_id }) => event_id)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  test("what is counted is written although nothing follows, and at the stop", () => {
    const one = world();
    for (let row = 1; row <= 25; row++) fail(one, row);
    one.pass(10);
    expect(one.lines.at(-1)).toMatchObject({ event_id: 25, repeats: 5 });
    fail(one, 26);
    one.repeats.flush();
    one.repeats.flush();
    expect([one.lines.length, counted(one.lines)]).toEqual([22, 26]);
  });
});

describe("another cause of the same trouble", () => {
  const failing = ({ repeats }: ReturnType<typeof world>, loop = "a") => ({
    by: (error: unknown) => repeats.write("warn", { error }, "loop.failed", { key: loop }),
  });
  const errorOf = (message: string, code?: string) => Object.assign(new Error(message), code ? { code } : {});

  test.each([
    ["of another code", errorOf("no", "23505"), errorOf("no", "42P01")],
    ["of another class", errorOf("no"), new TypeError("no")],
    ["with another text", errorOf("no answer"), errorOf("x is not a function")],
    ["as a text", "no answer", "refused"],
  ])("is written at once, its repeats are not: %s", (_, first, second) => {
    const one = world();
    const fail = failing(one);
    one.pass(200, () => fail.by(first));
    const before = one.lines.length;
    fail.by(second);
    expect(one.lines.slice(before)).toEqual([{ level: "warn", msg: "loop.failed", error: second } as Line]);
    for (let n = 0; n < 5; n++) {
      fail.by(first);
      fail.by(second);
    }
    expect(one.lines.length).toBe(before + 1);
    one.repeats.flush();
    expect(counted(one.lines)).toBe(211);
  });

  test("is none if only numbers and ids differ, or the text of the same code", () => {
    const one = world();
    for (let n = 0; n < 20; n++) failing(one).by(errorOf(`no answer of ${crypto.randomUUID()}0 in ${n} ms`));
    for (let n = 0; n < 20; n++) failing(one, "b").by(errorOf("abcdefghijklmnopqrstuvwxyz"[n]!, "ECONNREFUSED"));
    expect(one.lines.length).toBe(2);
  });

  test("has a line up to five times; each trouble has its own, and the next one begins anew", () => {
    const one = world();
    for (const loop of ["a", "b"]) for (const letter of "abcdefgh") failing(one, loop).by(letter);
    expect(one.lines.map(({ error }) => error).join("")).toBe("abcdeabcde");
    one.repeats.over("loop.failed", "a", {}, "loop.works_again");
    one.pass(6);
    failing(one).by("h");
    expect(one.lines.at(-1)).toEqual({ level: "warn", msg: "loop.failed", error: "h" } as Line);
  });

  test("is written although many lines told of causes that other troubles share", () => {
    const one = world();
    for (let loop = 0; loop < 40; loop++) for (const letter of "abcd") failing(one, `loop ${loop}`).by(letter);
    // The first of each loop, three new causes, and ten shared ones.
    expect(one.lines.length).toBe(53);
    failing(one, "loop 39").by("a bug");
    expect(one.lines.at(-1)).toMatchObject({ error: "a bug" });
    // A shared one again after a minute.
    one.pass(60);
    failing(one, "loop 39").by("b");
    expect(one.lines.at(-1)).toEqual({ level: "warn", msg: "loop.failed", error: "b" } as Line);
  });
});

test("an end without a stop writes what every log has counted", () => {
  const { lines, log } = world();
  for (let n = 0; n < 3; n++) repeatsOf(log).write("warn", {}, "loop.failed", { key: "a" });
  flushRepeats();
  expect(lines.map(({ repeats }) => repeats)).toEqual([undefined, 2]);
});

test("a thousand different keys stay bounded, and all are counted", () => {
  const { lines, repeats, pass } = world();
  pass(60, () => {
    for (let n = 0; n < 1000; n++) repeats.write("warn", {}, "loop.failed", { key: String(n) });
  });
  repeats.flush();
  expect(lines.length).toBeLessThan(700);
  expect(counted(lines)).toBe(60_000);
});

test("what is quiet is forgotten: the next one is a first one", () => {
  const { lines, repeats, pass } = world();
  for (let time = 0; time < 3; time++) {
    repeats.write("warn", {}, "flow.kept_for_later");
    pass(601);
  }
  expect(lines.map(({ repeats }) => repeats)).toEqual([undefined, undefined, undefined]);
});

test("ten minutes in which forty loops fail in turn by every kind of error write fewer than 200 lines, and the first of each loop says why", () => {
  const { lines, repeats, pass } = world();
  const loops = Array.from({ length: 40 }, (_, n) => `loop.${n}`);
  const errors = ["BrokerAway", "NatsSilent", "DeadlineError", "ECONNREFUSED", "CONNECTION_CLOSED", "57P01", "PoolFull", "RedisAway"];
  const fail = (loop: string, second: number) =>
    repeats.write("warn", { loop, error: errors[second % errors.length] }, "loop.failed", { key: loop });
  pass(600, second => {
    for (const loop of loops) fail(loop, second);
  });
  for (const loop of loops) repeats.over("loop.failed", loop, { loop }, "loop.works_again");
  pass(5);
  expect(lines.slice(0, 40).map(({ loop, error, repeats }) => [loop, error, repeats])).toEqual(
    loops.map(loop => [loop, "NatsSilent", undefined]),
  );
  expect(lines.filter(({ msg }) => msg === "loop.works_again").map(({ failures }) => failures)).toEqual(Array(40).fill(600));
  expect(lines.length).toBeLessThan(200);
});
