import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { isLogged, repeatsOf } from "../telemetry/repeats.ts";
import { backoff, restartDelay } from "./backoff.ts";
import { type Service, service } from "./service.ts";

export interface LoopOptions {
  readonly name: string;
  /** Does one batch of work and returns its size. The signal is aborted by a stop. */
  readonly runOnce: (signal: AbortSignal) => Promise<number>;
  /** A batch of this size is full: the loop runs again at once. */
  readonly full: number;
  /**
   * Otherwise the pause between two runs, in milliseconds, with a jitter of ± 10 % so that replicas do not run in step. As a function: by the size of the
   * last batch; 0 = run again at once.
   */
  readonly interval: number | ((count: number) => number);
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Loop extends Service {
  /** Ends the pause: there is work. A wake during a run makes the loop run once more. */
  wake(): void;
}

// An idle thread has a dozen loops. A wake-up of a thread costs about 250 µs, whatever it does then.
const grid = 500;

/** Long pauses end on a grid, so that the loops of a thread wake it together. */
function onGrid(milliseconds: number): number {
  if (milliseconds < 1.5 * grid) return milliseconds;
  const now = performance.now();
  return Math.round((now + milliseconds) / grid) * grid - now;
}

/**
 * The loop of every worker: run; run again after a full batch, otherwise pause; back off after an error. A stop waits for the current run. The log has a
 * line for the first error of a row of them, then sums. An error that the outage of a store explains has a line already.
 */
export function loop({ name, runOnce, full, interval, log, metrics }: LoopOptions): Loop {
  const stopping = new AbortController();
  let awake = false;
  let endRest: (() => void) | undefined;
  let running: Promise<void> = Promise.resolve();

  const rest = (milliseconds: number, wakeable: boolean) =>
    new Promise<void>(resolve => {
      if (stopping.signal.aborted || (wakeable && awake)) return resolve();
      const end = () => {
        clearTimeout(timer);
        stopping.signal.removeEventListener("abort", end);
        endRest = undefined;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      stopping.signal.addEventListener("abort", end);
      if (wakeable) endRest = end;
    });

  const pauseAfter = (count: number) => (typeof interval === "number" ? interval : interval(count)) * (0.9 + Math.random() * 0.2);

  const run = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      awake = false;
      try {
        const count = await runOnce(stopping.signal);
        metrics.loopRuns.inc({ loop: name, outcome: "ok" });
        if (failures > 0) repeatsOf(log).over("loop.failed", name, { loop: name }, "loop.works_again");
        failures = 0;
        const pause = count < full ? pauseAfter(count) : 0;
        if (pause > 0) await rest(onGrid(pause), true);
      } catch (error) {
        metrics.loopRuns.inc({ loop: name, outcome: "error" });
        const pause = restartDelay(failures++);
        if (!isLogged(error)) repeatsOf(log).write("warn", { loop: name, error, pause: Math.round(pause) }, "loop.failed", { key: name });
        await rest(pause, false);
      }
    }
  };

  return {
    ...service({
      async start() {
        running = run();
      },
      async stop() {
        stopping.abort();
        await running;
      },
    }),
    wake() {
      awake = true;
      endRest?.();
    },
  };
}

// Shorter than the pauses of a loop: a caller waits for this one.
const retryDelay = backoff({ base: 100, cap: 800, jitter: [0.5, 1] });

/** Retries while `again` accepts the error. A stop ends it with the last error. */
export async function retryWhile<T>(attempt: () => Promise<T>, again: (error: unknown) => boolean, stopping: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (stopping.aborted || !again(error)) throw error;
      await Bun.sleep(retryDelay(failures));
    }
  }
}
