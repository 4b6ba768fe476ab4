import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stackHome } from "./checkout.ts";
import { endLeftover } from "./leftover.ts";
import { holderOf } from "./lock.ts";
import { alive } from "./process_table.ts";
import { forgetStack, serverNames } from "./stack.ts";

/** Deletes what killed runs left: their stacks and the folders of their tests. */
export async function forgetDeadRuns(): Promise<void> {
  if (!existsSync(stackHome)) return;
  for (const name of readdirSync(stackHome)) {
    const [, kind, pid] = /^(test|bench|generate|try)-(\d+)(?:-|$)/.exec(name) ?? [];
    const dead = join(stackHome, name);
    if (kind === undefined || (kind === "try" ? alive(Number(pid)) : holderOf(dead) !== undefined)) continue;
    // The folder of a test may contain a dev stack.
    for (const dir of [join(dead, "dev"), dead]) {
      for (const server of ["dev", "kenri", "prometheus", ...serverNames]) await endLeftover(dir, server, "SIGINT");
      forgetStack(dir);
    }
  }
}
