import { describe, expect, test } from "bun:test";
import { createHealth } from "../life/health.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { createBreaker } from "./breaker.ts";

const tolerance = 2;
const probeEvery = 1000;
const probeWithin = 2;

/** How the dependency meets a probe. */
type Manner = "resolves" | "rejects" | "throws" | "hangs";

function world(manner: Manner = "resolves") {
  const health = createHealth();
  const state = { clock: 0, manner, probes: 0, underWay: 0, most: 0 };
  const settlers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const breaker = createBreaker({
    name: "dependency",
    tolerance,
    probeEvery,
    probeWithin,
    now: () => state.clock,
    says: "the dependency does not answer",
    log: silentLog,
    health,
    metrics: createMetrics(),
    probe() {
      state.probes++;
      if (state.manner === "throws") throw new Error("thrown at once");
      if (state.manner === "resolves") return Promise.resolve();
      if (state.manner === "rejects") return Promise.reject(new Error("rejected"));
      return new Promise<void>((resolve, reject) => settlers.push({ resolve, reject }));
    },
  });
  const pass = () => {
    state.clock += probeEvery;
  };
  return { breaker, health, state, settlers, pass };
}

const trouble = ({ health }: ReturnType<typeof world>) => health.troubles().dependency;

describe("a breaker", () => {
  test("stays closed until the deadlines missed in a row reach its tolerance", async () => {
    const { breaker } = world();
    breaker.missed();
    breaker.answered();
    breaker.missed();
    expect([breaker.isOpen(), await breaker.allows()]).toEqual([false, true]);
    breaker.missed();
    expect([breaker.isOpen(), await breaker.allows()]).toEqual([true, false]);
  });

  test("allows nothing and does not probe before the probe is due", async () => {
    const one = world();
    one.breaker.trip("it broke");
    one.state.clock += probeEvery - 1;
    expect([await one.breaker.allows(), one.state.probes, trouble(one)]).toEqual([false, 0, "it broke"]);
  });

  test.each(["rejects", "throws", "hangs"] as const)("whose probe %s probes again when the next probe is due, and closes", async manner => {
    const one = world(manner);
    one.breaker.trip("it broke");
    for (const probes of [1, 2, 3]) {
      one.pass();
      expect([await one.breaker.allows(), one.state.probes]).toEqual([false, probes]);
    }
    one.state.manner = "resolves";
    expect(await one.breaker.allows()).toBe(false);
    one.pass();
    expect([await one.breaker.allows(), one.breaker.isOpen(), trouble(one)]).toEqual([true, false, undefined]);
  });

  test("has one probe under way however many ask, and all get its answer", async () => {
    const one = world("hangs");
    one.breaker.trip("it broke");
    one.pass();
    const asked = [one.breaker.allows(), one.breaker.allows()];
    await Promise.resolve();
    asked.push(one.breaker.allows());
    one.settlers[0]!.resolve();
    expect([await Promise.all(asked), one.state.probes]).toEqual([[true, true, true], 1]);
  });

  test("that is tripped while a probe is under way stays open although the probe succeeds, until the next one", async () => {
    const one = world("hangs");
    one.breaker.trip("it broke");
    one.pass();
    const asked = one.breaker.allows();
    await Promise.resolve();
    one.breaker.trip("it broke again");
    one.settlers[0]!.resolve();
    expect([await asked, one.breaker.isOpen(), trouble(one)]).toEqual([false, true, "it broke again"]);
    one.state.manner = "resolves";
    one.pass();
    expect(await one.breaker.allows()).toBe(true);
  });

  test("is not closed by a probe that answers after its deadline", async () => {
    const one = world("hangs");
    one.breaker.trip("it broke");
    one.pass();
    expect(await one.breaker.allows()).toBe(false);
    one.settlers[0]!.resolve();
    await Promise.resolve();
    expect(one.breaker.isOpen()).toBe(true);
  });

  test("does not put the next probe off for deadlines of before it opened", async () => {
    const one = world();
    one.breaker.trip("it broke");
    one.pass();
    for (let late = 0; late < 10; late++) one.breaker.missed();
    expect(await one.breaker.allows()).toBe(true);
  });

  test("starts to count anew when it closes", async () => {
    const one = world();
    one.breaker.missed();
    one.breaker.trip("it broke");
    one.pass();
    await one.breaker.allows();
    one.breaker.missed();
    expect(one.breaker.isOpen()).toBe(false);
  });
});

const events = ["trip", "missed", "answered", "allows", "pass", "settle", "resolves", "rejects", "throws", "hangs"] as const;
type Event = (typeof events)[number];

function* sequences(length: number): Generator<Event[]> {
  if (length === 0) return yield [];
  for (const shorter of sequences(length - 1)) for (const event of events) yield [...shorter, event];
}

const settled = async () => {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve();
};

/** Runs events against the breaker and a model of it; says what is wrong. */
async function wrongAfter(sequence: readonly Event[]): Promise<string[]> {
  const { breaker, state, settlers, pass } = world();
  const asked: Promise<boolean>[] = [];
  let open = false;
  let misses = 0;
  let probeAt = 0;
  let hanging: { tripped: boolean } | undefined;
  const wrong: string[] = [];
  const trip = () => {
    open = true;
    probeAt = state.clock + probeEvery;
    if (hanging) hanging.tripped = true;
  };
  const close = () => {
    open = false;
    misses = 0;
  };
  for (const event of sequence) {
    if (event === "trip") {
      breaker.trip("it broke");
      trip();
    } else if (event === "missed") {
      breaker.missed();
      if (!open && ++misses >= tolerance) trip();
    } else if (event === "answered") {
      breaker.answered();
      misses = 0;
    } else if (event === "allows") {
      asked.push(breaker.allows());
      if (open && !hanging && state.clock >= probeAt) {
        if (state.manner === "hangs") hanging = { tripped: false };
        else if (state.manner === "resolves") close();
        else trip();
      }
    } else if (event === "pass") pass();
    else if (event === "settle") {
      settlers.shift()?.resolve();
      if (hanging && !hanging.tripped) close();
      hanging = undefined;
    } else state.manner = event;
    await settled();
    if (breaker.isOpen() !== open) wrong.push(`${sequence} is ${breaker.isOpen() ? "open" : "closed"} after ${event}`);
  }
  // The dependency answers from now on. A probe that hangs is waited for until its deadline.
  state.manner = "resolves";
  await Promise.all(asked);
  await settled();
  pass();
  if (!(await breaker.allows())) wrong.push(`${sequence} does not recover`);
  return wrong;
}

test.each([1, 2, 3, 4])(
  "after any %i events it is as the model says, and recovers once the dependency answers and a probe is due",
  async length => {
    const wrong = await Promise.all([...sequences(length)].map(wrongAfter));
    expect(wrong.flat()).toEqual([]);
  },
);

test("after the longer orders that open it first it recovers too", async () => {
  const opened = [...sequences(4)].map(rest => ["trip", "pass", "allows", ...rest] as Event[]);
  const failing = (["throws", "hangs"] as const).flatMap(manner => opened.map(rest => [manner, ...rest] as Event[]));
  const wrong = await Promise.all([...opened, ...failing].map(wrongAfter));
  expect(wrong.flat()).toEqual([]);
});
