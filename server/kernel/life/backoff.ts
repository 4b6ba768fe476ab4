/** The seed's delay before the next try, in seconds: min(60, 2^attempt) · (0.5 + rand()); `attempt` counts from 0. The one place that computes it. */
export function retryDelaySeconds(attempt: number, random = Math.random()): number {
  return Math.min(60, 2 ** attempt) * (0.5 + random);
}

/** The pause after a failed run of a loop or a crashed worker, in milliseconds. */
export function restartDelay(failures: number, random = Math.random()): number {
  return Math.min(5000, 100 * 2 ** failures) * (0.5 + random / 2);
}
