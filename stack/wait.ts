/** Waits for a condition with a deadline. */
export async function until(what: string, within: number, condition: () => boolean | Promise<boolean>, every = 20): Promise<void> {
  const deadline = performance.now() + within;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${within} ms`);
    await Bun.sleep(every);
  }
}

/** Like `until`, but returns whether the condition was met in time. */
export async function becomes(within: number, condition: () => boolean | Promise<boolean>, every = 20): Promise<boolean> {
  const deadline = performance.now() + within;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(every);
  }
  return true;
}
