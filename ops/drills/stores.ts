// The stores of a stage, for what their operators could do by hand.
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import postgres from "postgres";
import { credentialsOf } from "../../stack/nats_users.ts";
import type { Stage } from "./stage.ts";

/** As the administrator of NATS. */
export async function inNats<T>(stage: Stage, work: (manager: JetStreamManager, nats: NatsConnection) => Promise<T>): Promise<T> {
  const nats = await connect({ ...credentialsOf(stage.servers.nats.url), timeout: 5000 });
  try {
    return await work(await jetstreamManager(nats), nats);
  } finally {
    await nats.close();
  }
}

export async function inRedis<T>(stage: Stage, work: (redis: Bun.RedisClient) => Promise<T>): Promise<T> {
  const redis = new Bun.RedisClient(stage.servers.redis.url);
  try {
    return await work(redis);
  } finally {
    redis.close();
  }
}

/** As the superuser, in the database of a system. */
export async function inPostgres<T>(stage: Stage, database: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(stage.servers.postgres.url(database), { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
