import { expect, test } from "bun:test";
import { testDatabase } from "../../testing/databases.ts";
import { tcpProxy } from "../../testing/proxy.ts";
import { createHealth } from "../life/health.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { readStatements } from "./statements.ts";
import { openStore } from "./store.ts";

test("a store starts although its connection breaks more often than it has statements to check", async () => {
  const database = await testDatabase("entitlement");
  let pieces = 0;
  const proxy = await tcpProxy(database.appUrl, { cutsAt: () => ++pieces % 13 === 0 });
  const store = openStore({
    system: "entitlement",
    url: proxy.url,
    name: "test",
    connections: 1,
    deadline: 2000,
    log: silentLog,
    health: createHealth(),
    metrics: createMetrics(),
  });
  try {
    await store.start();
    expect(proxy.cuts()).toBeGreaterThan(1);
    expect(pieces).toBeGreaterThan(readStatements(["kernel", "entitlement"]).length);
  } finally {
    await store.stop();
    await proxy.close();
    await database.drop();
  }
});
