import type { JobQueue } from "./job_queue.ts";
import { graphileWorker } from "./job_queue_graphile.ts";
import { pgBoss } from "./job_queue_pg_boss.ts";

export const jobQueues: Readonly<Record<string, JobQueue>> = { "graphile-worker": graphileWorker, "pg-boss": pgBoss };
