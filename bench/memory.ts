import { readFileSync } from "node:fs";
import type { TestKenri, TestProcess } from "../server/testing/kenri.ts";
import { until } from "../stack/wait.ts";
import { type Figure, throughput } from "./measure.ts";

const count = 100_000;
const megabytes = (pid: number) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;

/** Resident memory of a process with both systems and all their workers, before and after 100k grants. */
export async function memory(kenri: TestKenri, process: TestProcess): Promise<Figure[]> {
  const push = async (run: string, grants: number) => {
    await throughput(64, grants, async n => void (await (await kenri.grant(`${run}-${n}`, "item")).arrayBuffer()));
    await until(
      "everything is sent",
      180_000,
      async () => {
        const [open] =
          await kenri.entitlementSql`select exists (select from outbox_events where status in ('PENDING', 'IN_FLIGHT')) as open`;
        const [unsent] =
          await kenri.notificationSql`select exists (select from notifications where status in ('PENDING', 'PROCESSING')) as open`;
        return !open!.open && !unsent!.open;
      },
      100,
    );
  };
  await push("memory-warm", 20_000);
  const before = megabytes(process.pid);
  await push("memory", count);
  const after = megabytes(process.pid);
  return [
    {
      what: "memory after 100k grants more",
      value: `${after.toFixed(0)} MB`,
      against: `before: ${before.toFixed(0)} MB`,
      ratio: after / before,
      goal: "flat",
    },
  ];
}
