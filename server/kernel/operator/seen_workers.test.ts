import { describe, expect, test } from "bun:test";
import { createHealth, type Parts } from "../life/health.ts";
import { seenWorkers } from "./seen_workers.ts";
import type { ReportedWorker } from "./worker_reports.ts";

const [relay, janitor] = ["entitlement:relay", "entitlement:janitor"];
const report = (role: string, age_seconds: number, parts: Parts = { broker: null }, host = "other/1"): ReportedWorker => ({
  worker: `${role}@${host}/ab12`,
  role,
  version: "1.0.0",
  started_at: "2026-01-01T00:00:00Z",
  age_seconds,
  parts,
});

function scene() {
  const health = createHealth();
  let now = 0;
  const seen = seenWorkers({ health, self: "entitlement:api@here/7/ffff", roles: [relay], every: 5000, now: () => now });
  return {
    health,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    look: (reports: readonly ReportedWorker[] | undefined) => seen.look(reports),
    trouble: (reports: readonly ReportedWorker[] | undefined) => seen.look(reports).roles[0]!.trouble,
  };
}

describe("a worker in another process", () => {
  test("is well as long as it reports", () => {
    const { look } = scene();
    const { roles, processes, parts } = look([report(relay, 4)]);
    expect(roles).toEqual([{ role: relay, trouble: null }]);
    expect(processes).toMatchObject([{ worker: `${relay}@other/1/ab12`, age_seconds: 4, troubles: {} }]);
    expect(parts).toEqual([{ broker: null }]);
  });

  test("is well if it runs beside this API in one process as a role of its own, or on a machine of the same name", () => {
    const { trouble, pass } = scene();
    trouble([report(relay, 1, {}, "here/7")]);
    pass(20_000);
    expect(trouble([report(relay, 1, {}, "here/7")])).toBeNull();
  });

  test("shows its troubles in the words of a worker in this process, also if another one is well", () => {
    const { trouble } = scene();
    expect(trouble([report(relay, 1), report(relay, 2, { broker: "NATS is not connected", publish: "stopped" }, "third/9")])).toBe(
      "broker: NATS is not connected; publish: stopped",
    );
  });

  test("that is silent is gone, and its troubles with it; another one of its role is enough", () => {
    const { trouble, look, pass } = scene();
    const silent = report(relay, 16, { broker: "away" });
    look([]);
    pass(16_000);
    expect(trouble([silent])).toBe(
      `no report for 16 s, the last from ${relay}@other/1/ab12: it does not run, or it cannot write to its store`,
    );
    expect(look([silent]).processes).toEqual([]);
    expect(trouble([report(relay, 1, {}, "third/9"), silent])).toBe(null);
  });

  test("that never reported is unknown at first, and missing after three intervals; a report ends that", () => {
    const { trouble, pass } = scene();
    expect(trouble([report(janitor, 1)])).toBe(undefined);
    pass(14_000);
    expect(trouble([])).toBe(undefined);
    pass(2000);
    expect(trouble([])).toBe("no process runs it");
    expect(trouble([report(relay, 0)])).toBe(null);
    expect(trouble([])).toBe(undefined);
  });

  test("is unknown while the reports cannot be read, and time without them does not make it missing", () => {
    const { trouble, pass } = scene();
    expect(trouble(undefined)).toBe(undefined);
    pass(60_000);
    expect(trouble(undefined)).toBe(undefined);
    expect(trouble([])).toBe(undefined);
  });

  test("is not missed at once after an outage of the store, in which it could not report", () => {
    const { trouble, pass } = scene();
    expect(trouble([report(relay, 1)])).toBe(null);
    pass(60_000);
    expect(trouble(undefined)).toBe(undefined);
    expect(trouble([report(relay, 61)])).toBe(undefined);
    pass(16_000);
    expect(trouble([report(relay, 77)])).toStartWith("no report for 77 s");
  });
});

describe("a worker in this process", () => {
  const inThread = (trouble: string | null) => {
    const one = scene();
    one.health.workers.set(relay, {});
    if (trouble === null) one.health.fine(relay);
    else one.health.trouble(relay, trouble);
    return one;
  };

  test("is known without the store of the reports", () => {
    expect(inThread(null).trouble(undefined)).toBe(null);
    expect(inThread("the worker is starting").trouble(undefined)).toBe("the worker is starting");
  });

  test("is known by this process, not by an older report of its own", () => {
    const own = report(relay, 3, { broker: "NATS is not connected" }, "here/7");
    expect(inThread(null).trouble([own])).toBe(null);
    expect(inThread(null).look([own]).parts).toEqual([]);
    expect(inThread("it ended unasked").trouble([report(relay, 1)])).toBe("it ended unasked");
  });

  test("does not hide the trouble of another process with the same role", () => {
    expect(inThread(null).trouble([report(relay, 1, { broker: "away" })])).toBe("broker: away");
  });
});
