import { PgBoss } from "pg-boss";
import { type JobQueue, payloadOf } from "./job_queue.ts";

const queue = "publish";
const insertAtOnce = 5000;

export const pgBoss: JobQueue = {
  async fill(url, count) {
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
    await boss.start();
    await boss.createQueue(queue);
    for (let n = 0; n < count; n += insertAtOnce) {
      const jobs = Array.from({ length: Math.min(insertAtOnce, count - n) }, (_, one) => ({ data: payloadOf(n + one) }));
      await boss.insert(queue, jobs);
    }
    await boss.stop({ graceful: false });
  },
  // Two workers like Kenri's two lanes. Each fetches and completes a whole batch, and fetches again at once while batches are full.
  async work(url, publish) {
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
    await boss.start();
    const options = { batchSize: 500, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
    await boss.work(queue, options, async jobs => {
      await Promise.all(jobs.map(({ id, data }) => publish(id, data)));
    });
  },
  hasOpen: "select exists (select from pgboss.job where state < 'completed') as open",
};
