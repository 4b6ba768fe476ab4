import { readFileSync } from "node:fs";
import { join } from "node:path";
import { alive, commandLine, end, signal, workingIn } from "./process_table.ts";
import { becomes } from "./wait.ts";

/**
 * Ends what an earlier run left on this data directory: a postmaster whose parent was killed, or backends whose postmaster was killed.
 * The pid file is no proof: after a crash another process may have that pid.
 */
export async function endLeftoverPostgres(data: string): Promise<void> {
  const pid = postmasterPid(data);
  if (pid !== undefined && alive(pid) && isPostgresOn(pid, data)) await end(pid, "SIGINT", 10_000);
  for (const orphan of workingIn(data).filter(orphan => commandLine(orphan).includes("postgres"))) signal(orphan, "SIGKILL");
  await becomes(5_000, () => workingIn(data).length === 0);
}

function postmasterPid(data: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(data, "postmaster.pid"), "utf8"), 10) || undefined;
  } catch {
    return undefined;
  }
}

function isPostgresOn(pid: number, data: string): boolean {
  const command = commandLine(pid);
  return command.includes("postgres") && command.includes(data);
}
