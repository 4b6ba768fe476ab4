import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { restartDelay } from "./backoff.ts";
import { type Service, service } from "./service.ts";

export interface LoopOptions {
  readonly name: string;
  /** Does one batch of work and says how much there was. The signal tells it that a stop was asked for. */
  readonly runOnce: (signal: AbortSignal) => Promise<number>;
  /** From this count on a batch was full, and the loop goes again at once. */
  readonly full: number;
  /** The rest between two runs otherwise, in milliseconds, jittered by ± 10 % so that replicas do not march in step. */
  readonly interval: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Loop extends Service {
  /** Ends the rest: there is work. Never lost: a wake during a run makes the loop run once more. */
  wake(): void;
}

/** The one loop under every worker: run, go again on a full batch, otherwise rest; back off on errors; a stop waits for the run under way. */
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

  const run = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      awake = false;
      try {
        const count = await runOnce(stopping.signal);
        metrics.loopRuns.inc({ loop: name, outcome: "ok" });
        failures = 0;
        if (count < full) await rest(interval * (0.9 + Math.random() * 0.2), true);
      } catch (error) {
        metrics.loopRuns.inc({ loop: name, outcome: "error" });
        const pause = restartDelay(failures++);
        log.warn({ loop: name, error, pause }, `${name} failed, tries again`);
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

/** Tries until it works, as long as `again` says that trying again makes sense; a stop ends it with the last error. */
export async function retryWhile<T>(attempt: () => Promise<T>, again: (error: unknown) => boolean, stopping: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (stopping.aborted || !again(error)) throw error;
      await Bun.sleep(restartDelay(Math.min(failures, 3)));
    }
  }
}
