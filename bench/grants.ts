import type { EntitlementSql } from "../server/entitlement/sql.gen.ts";
import { unclaimed } from "../server/kernel/delivery/claim_on_write.ts";
import { connect } from "../server/kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../server/kernel/postgres/statements.ts";
import { createMetrics } from "../server/kernel/telemetry/metrics.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { type Figure, perSecond, throughput } from "./measure.ts";

const concurrency = 64;
const count = 20_000;

/** Grants through HTTP compared with the same statement sent by the driver, one request a statement, at the same concurrency. */
export async function grants(kenri: TestKenri): Promise<Figure[]> {
  const sql = connect({ url: kenri.entitlement.appUrl, name: "bench", max: concurrency, statementTimeout: 30_000 });
  const { change } = bindStatements<EntitlementSql>(sql, readStatements(["entitlement"]), createMetrics(), 30_000);
  const direct = (run: string) => (n: number) =>
    change({
      client_id: ["bench"],
      route: ["/v1/entitlements/grants"],
      idem_key: [`${run}-${n}`],
      request_hash: ["hash"],
      ttl_seconds: 86_400,
      user_id: [`${run}-${n}`],
      stock_keeping_unit: ["item"],
      target: ["ACTIVE"],
      source: ["purchase"],
      source_id: ["p"],
      traceparent: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
      conflict_body: ["{}"],
      operator_reason: [null],
      ...unclaimed,
      stream: null,
      resend_before: null,
    });
  const http = (run: string) => async (n: number) => {
    const response = await kenri.grant(`${run}-${n}`, "item", { key: `${run}-${n}` });
    if (response.status !== 200) throw new Error(`a grant got ${response.status}`);
    await response.arrayBuffer();
  };
  await throughput(concurrency, 2000, direct("warm-direct"));
  await throughput(concurrency, 2000, http("warm-http"));
  const driver = await throughput(concurrency, count / 2, direct("direct"));
  const api = await throughput(concurrency, count, http("http"));
  await sql.end();
  return [
    {
      what: `grants through HTTP, ${concurrency} at once`,
      value: perSecond(api),
      against: `driver, one request a statement, ${concurrency} connections: ${perSecond(driver)}`,
      ratio: api / driver,
      goal: "≥ 1.0",
    },
  ];
}
