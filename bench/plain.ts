/**
 * A plain build of the first documents, to compare with: a transaction of seven round trips a grant, and rows that are published, consumed and sent
 * one by one. One process has all of it, as Kenri's does in this bench. It has no authentication, metrics, traces or logs.
 */
import { jetstream } from "@nats-io/jetstream";
import { ensureConsumer, ensureStream } from "../server/kernel/nats/streams.ts";
import { connectTo } from "../server/testing/nats.ts";
import { serveGrants } from "./plain/api.ts";
import { consume, subscribe } from "./plain/consumer.ts";
import { poll } from "./plain/poll.ts";
import { relayOnce } from "./plain/relay.ts";
import { sendOnce } from "./plain/sender.ts";
import { pool } from "./plain/statements.ts";

const { DATABASE_URL, NATS_URL, STREAM, SUBJECT } = process.env as Record<string, string>;
const lanes = 8;
const durable = "notification";

const nats = await connectTo(NATS_URL!);
await ensureStream(nats, { name: STREAM!, subject: SUBJECT!, maxAge: 3_600_000, duplicateWindow: 120_000, replicas: 1 });
await ensureConsumer(nats, { stream: STREAM!, durable, ackWait: 30_000, maxAckPending: 1000 });
const js = jetstream(nats);
const relayPool = pool(DATABASE_URL!, lanes);
const senderPool = pool(DATABASE_URL!, lanes);
// Before it is ready: then it is paused, and a request to NATS would time out.
const messages = await subscribe(js, STREAM!, durable);
const workers = [
  poll(() => relayOnce(relayPool, js, SUBJECT!)),
  consume(pool(DATABASE_URL!, lanes), messages, lanes),
  poll(() => sendOnce(senderPool)),
];
console.log(`ready ${serveGrants(pool(DATABASE_URL!, 16))}`);
await Promise.all(workers);
