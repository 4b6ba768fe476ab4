import { afterAll, beforeAll, expect, test } from "bun:test";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Broker } from "../../kernel/nats/broker.ts";
import { createSignatures } from "../../kernel/nats/signatures.ts";
import { askSigned } from "../../kernel/nats/signed_answers.ts";
import { connect, type Sql } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestDatabase, testDatabase } from "../../testing/databases.ts";
import { testNats } from "../../testing/kenri.ts";
import { connectTo } from "../../testing/nats.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { consumedResponder } from "./consumed_responder.ts";

const signatures = createSignatures([{ id: "k", secret: "s".repeat(32) }]);
let database: TestDatabase;
let pool: Sql;
let sql: NotificationSql;
let nats: NatsConnection;
beforeAll(async () => {
  database = await testDatabase("notification");
  pool = connect({ url: database.appUrl, name: "test", max: 2, statementTimeout: 5000 });
  sql = bindStatements<NotificationSql>(pool, readStatements(["kernel", "notification"]), createMetrics(), 5000);
  nats = await connectTo(testNats());
});
afterAll(async () => {
  await nats.close();
  await pool.end();
  await database.drop();
});

/** A message that could not be read. */
async function letter(event_id: string, untrusted: string | null): Promise<string> {
  const [row] = await sql.raw_dead_letters.append({
    stream: ["s"],
    stream_seq: [Math.floor(Math.random() * 1e9)],
    subject: ["x"],
    headers: [{}],
    data: ["\\x00"],
    event_id: [event_id],
    reason: ["unreadable"],
    untrusted: [untrusted],
  });
  return row!.id;
}
const held = async (...event_id: string[]) => (await sql.consumed({ event_id })).map(row => row.event_id);

test("the event of a discarded message counts as held, unless its signature was wrong, and until the retention has passed", async () => {
  const [trusted, forged] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const [event, untrusted] of [
    [trusted, null],
    [trusted, null],
    [forged, "forged"],
  ] as const) {
    const id = await letter(event, untrusted);
    expect(await sql.raw_dead_letters.discard({ id, actor: "otto", reason: "not needed" })).toHaveLength(1);
  }
  expect(await held(trusted, forged)).toEqual([trusted]);
  expect(await sql.cleanup_discarded_events({ retention_seconds: 60, limit: 10 })).toHaveLength(0);
  expect(await sql.cleanup_discarded_events({ retention_seconds: 0, limit: 10 })).toHaveLength(1);
  expect(await held(trusted)).toEqual([]);
});

test("a relay of an older version gets the list alone, a newer one also how long ids are kept", async () => {
  const [event, subject] = [crypto.randomUUID(), `taken-in.${crypto.randomUUID()}`];
  await letter(event, null);
  const broker = { connection: () => nats, onConnect: (listen: () => void) => listen() } as unknown as Broker;
  const responder = consumedResponder({ sql, remembers: 7_200_000, broker, subject, signatures, log: silentLog });
  await responder.start();
  await nats.flush();
  const ask = async (form?: number) => {
    const question = { subject, text: JSON.stringify([event, crypto.randomUUID()]), form, deadline: 2000, signatures };
    return (await askSigned(nats, { ...question, read: text => JSON.parse(text) as unknown, refused: () => {} })).answer;
  };
  expect(await ask()).toEqual([event]);
  expect(await ask(2)).toEqual({ held: [event], remembers_seconds: 7200 });
  expect(await ask(3)).toEqual({ held: [event], remembers_seconds: 7200 });
  // The retention was shorter once: what was deleted then is not remembered, whatever the setting is now.
  await pool`update processed_events_horizon set deleted_up_to = now() - interval '1 hour'`;
  const { remembers_seconds } = (await ask(2)) as { remembers_seconds: number };
  expect(remembers_seconds).toBeWithin(3600, 3660);
  await responder.stop();
});
