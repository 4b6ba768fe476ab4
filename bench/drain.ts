import { readFileSync } from "node:fs";
import type { TestKenri } from "../server/testing/kenri.ts";
import { startProcess } from "../server/testing/process.ts";
import { until } from "../stack/wait.ts";
import type { Figure } from "./measure.ts";
import { fillOutbox } from "./rows.ts";

const waiting = 200_000;

interface Drain {
  readonly seconds: number;
  /** The most memory of the process, in MB. */
  readonly memory: number;
}

/** A large backlog of different pairs through the whole pipeline, from the start of the process until all are SENT. */
export async function drain(another: () => Promise<TestKenri>): Promise<Figure[]> {
  const now = await drained(another);
  const checkout = process.env.KENRI_BEFORE;
  const before = checkout ? await drained(another, checkout) : undefined;
  const figure = (what: string, of: (one: Drain) => number, unit: string): Figure => ({
    what: `${waiting.toLocaleString("en")} waiting events: ${what}`,
    value: `${of(now).toFixed(0)} ${unit}`,
    against: before ? `before: ${of(before).toFixed(0)} ${unit}` : "",
    ratio: before && of(now) / of(before),
    goal: "≤ 1",
  });
  return [figure("time to SENT", one => one.seconds, "s"), figure("most memory", one => one.memory, "MB")];
}

async function drained(another: () => Promise<TestKenri>, checkout?: string): Promise<Drain> {
  const kenri = await another();
  try {
    await fillOutbox(kenri.entitlementSql, waiting, "PENDING");
    await kenri.entitlementSql`vacuum analyze`;
    await kenri.entitlementSql`checkpoint`;
    const process = startProcess("entitlement notification", kenri.environment, checkout);
    const since = performance.now();
    // Each event has a user of its own, so the users with a feed are those that were notified.
    const isDone = async () => (await kenri.notificationSql`select count(*)::int as c from inbox_positions`)[0]!.c === waiting;
    await until("all are sent", 600_000, isDone, 1000);
    const seconds = (performance.now() - since) / 1000;
    const memory = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${process.pid}/status`, "utf8"))?.[1]) / 1024;
    await process.stop();
    return { seconds, memory };
  } finally {
    await kenri.close();
  }
}
