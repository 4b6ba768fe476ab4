import { expect } from "bun:test";
import { becomes } from "../../stack/wait.ts";
import type { TestProcess } from "./process.ts";

/** Sends SIGTERM and returns the exit code if the process exits within the promised time. */
export async function endsInTime(process: TestProcess): Promise<number> {
  const since = performance.now();
  const code = await process.stop();
  expect(performance.now() - since).toBeLessThan(10_500);
  if (code === 1) console.log(process.lines.slice(-15).join("\n"));
  return code;
}

/** Waits for some time after a launch. A signal before the program has started ends it with 143. */
export const momentOf = (milliseconds: number) => becomes(milliseconds, () => false);
