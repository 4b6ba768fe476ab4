import { expect } from "bun:test";
import { becomes } from "../../stack/wait.ts";
import type { TestProcess } from "./process.ts";

/** SIGTERM, and its exit code, if it comes within the promised time. */
export async function endsInTime(process: TestProcess): Promise<number> {
  const since = performance.now();
  const code = await process.stop();
  expect(performance.now() - since).toBeLessThan(10_500);
  if (code === 1) console.log(process.lines.slice(-15).join("\n"));
  return code;
}

/** Some time after a launch. A signal that comes before the program has begun ends it with 143. */
export const momentOf = (milliseconds: number) => becomes(milliseconds, () => false);
