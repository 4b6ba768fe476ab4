import { describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { createCircuit, type Failure } from "./circuit.ts";

/** A service that is up or down, its circuit, and a clock. A probe is answered when the test says so, by what the service is then. */
function scene() {
  let now = 0;
  let isUp = true;
  let probes = 0;
  let answerProbe: (() => void) | undefined;
  const circuit = createCircuit({
    now: () => now,
    probe: () => {
      if (answerProbe) throw new Error("two probes at once");
      probes++;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      answerProbe = () => {
        answerProbe = undefined;
        resolve(isUp);
      };
      return promise;
    },
  });
  /** Lets everything run that waits for nothing outside. */
  const settle = async () => {
    for (let n = 0; n < 10; n++) await Promise.resolve();
  };
  return {
    circuit,
    settle,
    probes: () => probes,
    isProbing: () => answerProbe !== undefined,
    isUp: () => isUp,
    set(up: boolean) {
      isUp = up;
    },
    pause() {
      now += 1000;
    },
    async answer() {
      answerProbe?.();
      await settle();
    },
    /** A call: refused, let through with what became of it, or waiting for the probe that it made. */
    async call(isSlow: boolean): Promise<Failure | "worked" | "failed" | "waits"> {
      let outcome: Failure | "worked" | "failed" | "waits" = "waits";
      void circuit.refuses().then(refused => {
        if (refused) outcome = refused;
        else if (isUp && !isSlow) {
          circuit.worked();
          outcome = "worked";
        } else {
          circuit.failed(isUp ? "timeout" : "bad gateway");
          outcome = "failed";
        }
      });
      await settle();
      return outcome;
    },
  };
}

async function opened() {
  const it = scene();
  it.set(false);
  for (let n = 0; n < 5; n++) await it.call(false);
  await it.answer();
  return it;
}

test("five failures in a row and a failed probe open it, and it returns how the last call failed", async () => {
  const it = scene();
  it.set(false);
  for (let n = 0; n < 4; n++) expect(await it.call(false)).toBe("failed");
  expect(it.isProbing()).toBe(false);
  expect(await it.call(false)).toBe("failed");
  expect(it.isProbing()).toBe(true);
  expect(await it.call(false)).toBe("failed"); // until the probe has failed too, calls try
  await it.answer();
  expect(await it.call(false)).toBe("bad gateway");
});

test("slow calls never open it while the service answers its probe", async () => {
  const it = scene();
  for (let n = 0; n < 100; n++) {
    expect(await it.call(true)).toBe("failed");
    await it.answer();
  }
  expect(it.probes()).toBe(20);
  expect(await it.call(false)).toBe("worked");
});

test("a successful call resets the count, and outweighs a probe that fails later", async () => {
  const it = scene();
  for (let n = 0; n < 4; n++) await it.call(true);
  await it.call(false);
  await it.call(true);
  expect(it.isProbing()).toBe(false);
  for (let n = 0; n < 4; n++) await it.call(true);
  expect(it.isProbing()).toBe(true);
  await it.call(false);
  it.set(false);
  await it.answer();
  expect(await it.call(false)).toBe("failed");
});

test("after a pause one call probes; if the probe succeeds all calls may go, otherwise none", async () => {
  const it = await opened();
  it.pause();
  expect(await it.call(false)).toBe("waits");
  expect(await it.call(false)).toBe("bad gateway");
  await it.answer();
  expect(await it.call(false)).toBe("bad gateway");
  it.pause();
  expect(await it.call(false)).toBe("waits");
  it.set(true);
  await it.answer();
  expect([await it.call(false), await it.call(false)]).toEqual(["worked", "worked"]);
});

test("a probe that throws counts as failed", async () => {
  const circuit = createCircuit({ now: () => 0, probe: async () => Promise.reject(new Error("refused")) });
  for (let n = 0; n < 5; n++) circuit.failed("timeout");
  for (let n = 0; n < 10; n++) await Promise.resolve();
  expect(await circuit.refuses()).toBe("timeout");
});

test("reports each opening and each closing once", async () => {
  const seen: boolean[] = [];
  let isUp = false;
  let now = 0;
  const circuit = createCircuit({ probe: async () => isUp, changed: isOpen => void seen.push(isOpen), now: () => now });
  circuit.worked();
  for (let n = 0; n < 8; n++) circuit.failed("timeout");
  await until("it has opened", 2000, () => circuit.isOpen());
  for (let n = 0; n < 3; n++) {
    now += 1000;
    await circuit.refuses();
  }
  expect(seen).toEqual([true]);
  isUp = true;
  now += 1000;
  await circuit.refuses();
  circuit.worked();
  expect(seen).toEqual([true, false]);
});

describe("whatever happens, in every order of", () => {
  const steps = ["calls", "slow calls", "down", "up", "answer", "pause"] as const;
  const length = 6;

  /** What must be: written down from the rules, without the code's own way to count. */
  function model() {
    let inARow = 0;
    let isProbing = false;
    let isOpen = false;
    let mayProbe = true;
    return {
      expected(isUp: boolean, isSlow: boolean) {
        if (isOpen && (isProbing || !mayProbe)) return "refused";
        if (isOpen) {
          isProbing = true;
          return "waits";
        }
        if (isUp && !isSlow) {
          inARow = 0;
          return "worked";
        }
        inARow++;
        if (inARow >= 5) isProbing = true;
        return "failed";
      },
      answered(isUp: boolean): void {
        if (!isProbing) return;
        isProbing = false;
        mayProbe = false;
        isOpen = !isUp && inARow >= 5;
        if (isUp) inARow = 0;
      },
      paused(): void {
        mayProbe = true;
      },
    };
  }

  async function run(sequence: readonly (typeof steps)[number][]): Promise<void> {
    const it = scene();
    const rules = model();
    let wasEverDown = false;
    let waiting: { readonly isSlow: boolean } | undefined;
    for (const step of sequence) {
      if (step === "down") it.set(false);
      if (step === "up") it.set(true);
      if (step === "pause") {
        it.pause();
        rules.paused();
      }
      if (step === "answer") {
        rules.answered(it.isUp());
        // The call that made the probe goes ahead when that was good.
        if (waiting && it.isUp()) rules.expected(true, waiting.isSlow);
        waiting = undefined;
        await it.answer();
      }
      wasEverDown ||= !it.isUp();
      if (step !== "calls" && step !== "slow calls") continue;
      for (let n = 0; n < 5; n++) {
        const outcome = await it.call(step === "slow calls");
        const seen = outcome === "timeout" || outcome === "bad gateway" ? "refused" : outcome;
        if (seen === "waits") waiting = { isSlow: step === "slow calls" };
        const expected = rules.expected(it.isUp(), step === "slow calls");
        if (seen !== expected) throw new Error(`${sequence.join(", ")}: a call ${seen} instead of ${expected}`);
        if (!wasEverDown && seen === "refused") throw new Error(`${sequence.join(", ")}: refused by a service that was never down`);
      }
    }
    // It always closes again: the service is up, what was asked is answered, a pause is over.
    it.set(true);
    await it.answer();
    it.pause();
    await it.call(false);
    await it.answer();
    const last = await it.call(false);
    if (last !== "worked") throw new Error(`${sequence.join(", ")}: still ${last} though the service is up`);
  }

  test(`${length} of: ${steps.join(", ")}`, async () => {
    for (let n = 0; n < steps.length ** length; n++)
      await run(Array.from({ length }, (_, place) => steps[Math.floor(n / steps.length ** place) % steps.length]!));
  }, 60_000);
});
