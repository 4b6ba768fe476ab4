import { becomes } from "../../stack/wait.ts";

/**
 * Reads a count until it is at least `count`, and returns it. A process counts after the commit that a test sees, and a worker thread reports its
 * metrics once a second.
 */
export async function counted(count: number, read: () => Promise<number>, within = 10_000): Promise<number> {
  let seen = Number.NaN;
  const reached = await becomes(within, async () => {
    seen = await read();
    return seen >= count;
  });
  if (!reached) throw new Error(`the count is ${seen}, not ${count} within ${within} ms`);
  return seen;
}
