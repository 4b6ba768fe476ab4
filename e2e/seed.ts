import { execFile } from "node:child_process";
import { join } from "node:path";
import { variable } from "./stack.ts";

const command = join(import.meta.dirname, "..", "server", "testing", "seed.ts");

/** Fills the running system with rows that no API makes: the past, and failures in it. `bun server/testing/seed.ts` lists the seeds. */
export const seed = <Answer>(what: string, input?: unknown): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const child = execFile(variable("KENRI_BUN"), [command, what], { maxBuffer: 10_000_000 }, (error, stdout, stderr) =>
      error ? reject(new Error(`seed ${what}: ${stderr || error.message}`)) : resolve(JSON.parse(stdout)),
    );
    child.stdin!.end(input === undefined ? "" : JSON.stringify(input));
  });
