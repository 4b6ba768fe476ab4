import { Logger, run, runMigrations } from "graphile-worker";
import postgres from "postgres";
import { type JobQueue, payloadOf } from "./job_queue.ts";

const quiet = new Logger(() => () => {});

export const graphileWorker: JobQueue = {
  async fill(url, count) {
    await runMigrations({ connectionString: url, logger: quiet });
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const specs = Array.from({ length: count }, (_, n) => ({ identifier: "publish", payload: payloadOf(n) }));
    await sql`select count(*) from graphile_worker.add_jobs(array(
      select json_populate_record(null::graphile_worker.job_spec, one) from json_array_elements(${sql.json(specs)}::json) one))`;
    await sql.end();
  },
  // As its documentation advises for many short jobs: jobs are fetched and completed in batches.
  async work(url, publish) {
    await run({
      taskList: { publish: (payload, { job }) => publish(job.id, payload) },
      preset: {
        worker: {
          connectionString: url,
          logger: quiet,
          concurrentJobs: 200,
          maxPoolSize: 10,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
  },
  hasOpen: "select exists (select from graphile_worker._private_jobs) as open",
};
