import { createIntegrity, type Integrity } from "../gateway/edge/integrity.ts";
import { createHealth } from "../kernel/life/health.ts";
import { silentLog } from "../kernel/telemetry/log.ts";
import { createMetrics } from "../kernel/telemetry/metrics.ts";

/** The secret of every gateway under test: they share one Redis. */
export const testSecret = "only-for-tests-only-for-tests-only-for-tests";

/** Signs as the gateways under test do. */
export const testIntegrity = (secrets: readonly string[] = [testSecret]): Integrity =>
  createIntegrity({ secrets, log: silentLog, health: createHealth(), metrics: createMetrics() });
