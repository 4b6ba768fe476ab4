/**
 * The one start/stop contract. `stop` before `start` is fine, twice is fine, during `start` it ends the start, and it returns only
 * when everything is down; a stopped service is not started again.
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes a service of a pair of functions. `stop` runs only if `start` was called, after it has settled, and once. */
export function service(parts: { start: (stopping: AbortSignal) => Promise<void>; stop: () => Promise<void> }): Service {
  const stopSignal = new AbortController();
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  return {
    start() {
      if (stopping) return Promise.reject(new Error("a stopped service cannot be started"));
      // Inside an async function, so that a start that throws at once has been started and failed, and is stopped like any other.
      starting ??= (async () => parts.start(stopSignal.signal))();
      return starting;
    },
    stop() {
      if (!stopping) {
        stopSignal.abort();
        stopping = starting
          ? starting.then(
              () => parts.stop(),
              () => parts.stop(),
            )
          : Promise.resolve();
      }
      return stopping;
    },
  };
}

/** Starts in order, stops in reverse. If one fails to start, those before it are stopped by `stop`. */
export function sequence(services: readonly Service[]): Service {
  const started: Service[] = [];
  return service({
    async start(stopping) {
      stopping.addEventListener("abort", () => void started.at(-1)?.stop());
      for (const one of services) {
        if (stopping.aborted) return;
        started.push(one);
        await one.start();
      }
    },
    stop: () =>
      allOf(async stop => {
        for (const one of started.reverse()) await stop(one);
      }),
  });
}

/** Starts and stops side by side: for services that do not need each other, so that their waits do not add up. */
export function parallel(services: readonly Service[]): Service {
  const stopAll = () => allOf(async stop => void (await Promise.all(services.map(stop))));
  return service({
    async start(stopping) {
      stopping.addEventListener("abort", () => void stopAll().catch(() => {}));
      await Promise.all(services.map(one => one.start()));
    },
    stop: stopAll,
  });
}

/** Stops every one, whatever becomes of the others; then the first failure is told. */
async function allOf(stopEach: (stop: (one: Service) => Promise<unknown>) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  await stopEach(one => one.stop().catch(error => failures.push(error)));
  if (failures.length > 0) throw failures[0];
}
