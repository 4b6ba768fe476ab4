/** `bun bench/job_queue_worker.ts <queue>`: the worker of a job queue, in a process of its own as Kenri's relay. */
import { jetstream } from "@nats-io/jetstream";
import { connectTo } from "../server/testing/nats.ts";
import { jobQueues } from "./job_queues.ts";

const { DATABASE_URL, NATS_URL, SUBJECT } = process.env as Record<string, string>;
const js = jetstream(await connectTo(NATS_URL!));
const text = new TextEncoder();
await jobQueues[process.argv[2]!]!.work(DATABASE_URL!, async (id, payload) => {
  await js.publish(SUBJECT!, text.encode(JSON.stringify(payload)), { msgID: id });
});
console.log("ready");
