import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { EntitlementSql } from "../../entitlement/sql.gen.ts";
import { type TestKenri, type TestProcess, testKenri } from "../../testing/kenri.ts";
import { connect } from "../postgres/database.ts";
import { bindStatements, readStatements } from "../postgres/statements.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import type { SystemHealth } from "./health_routes.ts";

let kenri: TestKenri;
let relay: TestProcess;
beforeAll(async () => {
  kenri = await testKenri({ WORKER_REPORT_EVERY: "200ms" });
  await kenri.start("entitlement:api");
  relay = await kenri.start("entitlement:relay");
});
afterAll(() => kenri.close());

const health = async () => (await (await kenri.call("entitlement", "/ops/health")).json()) as SystemHealth;
const worker = async (role: string) => (await health()).workers.find(({ name }) => name === role)!;

test("a relay in a process of its own is seen with its parts, and its breaker is known", async () => {
  await until("it has reported", 15_000, async () => (await worker("entitlement:relay")).state === "ok");
  const { processes, breakers, dependencies } = await health();
  expect(processes).toEqual([
    expect.objectContaining({ role: "entitlement:relay", version: expect.stringMatching(/^\d+\./), troubles: {} }),
  ]);
  expect(processes[0]!.age_seconds).toBeLessThan(5);
  expect(breakers).toEqual([{ name: "publish", state: "ok", detail: null }]);
  expect(dependencies).toContainEqual({ name: "broker", state: "ok", detail: null });
});

test("a role that no process runs is a trouble, and a killed one too; a new process ends it", async () => {
  await until("the janitor is missed", 15_000, async () => (await worker("entitlement:janitor")).state === "trouble");
  expect((await worker("entitlement:janitor")).detail).toBe("no process runs it");
  relay.kill("SIGKILL");
  await until("the relay is missed", 15_000, async () => (await worker("entitlement:relay")).state === "trouble");
  expect((await worker("entitlement:relay")).detail).toMatch(/^no report for \d+ s, the last from entitlement:relay@/);
  relay = await kenri.start("entitlement:relay");
  await until("it is seen again", 15_000, async () => (await worker("entitlement:relay")).state === "ok");
});

test("workers that were silent for an hour are deleted by the next report, and reports at once neither wait for each other nor deadlock", async () => {
  const pool = connect({ url: kenri.entitlement.appUrl, name: "test", max: 8, statementTimeout: 10_000 });
  const { workers } = bindStatements<EntitlementSql>(pool, readStatements(["kernel", "entitlement"]), createMetrics(), 10_000);
  const report = (name: string, trouble: string | null) =>
    workers.report({ worker: name, role: "entitlement:test", version: "1", parts: { broker: trouble } });
  await Promise.all(Array.from({ length: 20 }, (_, n) => report(`old ${n}`, null)));
  await kenri.entitlementSql`update workers set seen_at = now() - interval '2 hours', started_at = now() - interval '3 hours' where worker like 'old%'`;
  await Promise.all(Array.from({ length: 100 }, (_, n) => report(`old ${n % 4}`, `trouble ${n}`)));
  const rows = (await workers.list()).filter(({ role }) => role === "entitlement:test");
  expect(rows.map(({ worker }) => worker).sort()).toEqual(["old 0", "old 1", "old 2", "old 3"]);
  for (const { age_seconds, parts } of rows)
    expect([age_seconds < 10, JSON.stringify(parts)]).toEqual([true, expect.stringContaining("trouble")]);
  await pool.end();
});
