// For the tests of `stack/`: temporary folders, and the output of a child process.
import { chmodSync, mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { stackHome } from "./checkout.ts";

/**
 * A new folder that PostgreSQL's user can access, unlike one in the temporary folder of the machine.
 * Its name has the pid of this process, so that a later run can delete it when the process is gone.
 */
export function scratchFolder(): string {
  mkdirSync(stackHome, { recursive: true });
  const folder = mkdtempSync(join(stackHome, `try-${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** The first line of JSON that a script prints. */
export async function firstLine<T>(child: Bun.Subprocess<"ignore", "pipe", "inherit">): Promise<T> {
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) return JSON.parse(text.slice(0, text.indexOf("\n"))) as T;
  }
  throw new Error(`the script ended without a line, with exit code ${await child.exited}`);
}
