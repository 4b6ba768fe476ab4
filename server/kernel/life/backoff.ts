export interface BackoffOptions {
  /** The delay after the first failure. */
  readonly base: number;
  readonly cap: number;
  /** The range of the random factor that spreads the delays. */
  readonly jitter: readonly [least: number, most: number];
}

/** A delay that doubles with each attempt, counted from 0, up to the cap, times the jitter. In the unit of `base`. */
export const backoff =
  ({ base, cap, jitter: [least, most] }: BackoffOptions) =>
  (attempt: number, random = Math.random()): number =>
    Math.min(cap, base * 2 ** attempt) * (least + random * (most - least));

/** The delay before a row is tried again, in seconds. */
export const retryDelaySeconds = backoff({ base: 1, cap: 60, jitter: [0.5, 1.5] });

/** The pause after a failed run of a loop or a crashed worker, in milliseconds. */
export const restartDelay = backoff({ base: 100, cap: 5000, jitter: [0.5, 1] });
