// For the tests of `stack/`: folders to play in, and a look at what a child process says.
import { chmodSync, mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { stackHome } from "./checkout.ts";

/**
 * A new folder that PostgreSQL's user can enter, unlike one under the system's temporary folder.
 * Named after this process, so that a later run knows whether it is forgotten.
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
