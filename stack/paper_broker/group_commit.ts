import type { Database } from "bun:sqlite";

interface Waiting {
  run(): void;
  done(): void;
  failed(error: unknown): void;
}

/**
 * Runs the work of all requests that came in together in one transaction, in their order: one flush to the disk for all. SQLite blocks this process
 * during a flush, and a flush for each request would delay the news that a client went away.
 */
export function groupCommit(db: Database): <Value>(work: () => Value) => Promise<Value> {
  let waiting: Waiting[] = [];

  function flush(): void {
    const group = waiting;
    waiting = [];
    try {
      db.transaction(() => {
        for (const one of group) one.run();
      })();
    } catch (error) {
      for (const one of group) one.failed(error);
      return;
    }
    for (const one of group) one.done();
  }

  return work =>
    new Promise((resolve, reject) => {
      let value: ReturnType<typeof work>;
      const run = () => {
        value = work();
      };
      if (waiting.push({ run, done: () => resolve(value), failed: reject }) === 1) setImmediate(flush);
    });
}
