import type postgres from "postgres";
import { testServer } from "./databases.ts";
import { type TestKenri, testKenri, testNats } from "./kenri.ts";
import { type TestPaperBroker, testPaperBroker } from "./paper_broker.ts";

/** A database of orders and a broker, without a sender. */
export interface OrderScene {
  readonly broker: TestPaperBroker;
  readonly kenri: TestKenri;
  readonly sql: postgres.Sql;
  close(): Promise<void>;
}

/** Short delays. The lease is long: a test that waits for its end sets it. */
export async function orderScene(settings: Record<string, string> = {}, postgresUrl = testServer()): Promise<OrderScene> {
  const broker = await testPaperBroker();
  const kenri = await testKenri(
    {
      BROKER_URL: broker.url,
      ORDERS_BACKOFF: "100ms",
      ORDERS_BACKOFF_CAP: "400ms",
      ORDERS_SEND_WITHIN: "3s",
      ORDERS_ASK_WITHIN: "3s",
      ORDERS_LEASE: "20s",
      HEALTH_PORT: "0",
      ...settings,
    },
    { postgresUrl, natsUrl: testNats() },
  );
  await kenri.makeStore("orders");
  return {
    broker,
    kenri,
    sql: kenri.store("orders").sql,
    async close() {
      await kenri.close();
      await broker.stop();
    },
  };
}
