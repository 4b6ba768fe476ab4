import { connect } from "../kernel/database.ts";
import { firstAttempts } from "../kernel/first_attempts.ts";
import type { Flow } from "../kernel/flow.ts";
import type { RoleContext } from "../kernel/role.ts";
import { group, service, together } from "../kernel/service.ts";
import type { KernelSettings } from "../kernel/settings.ts";
import { bindStatements, readStatements } from "../kernel/statements.ts";
import type { ChangeBatch } from "./changes.ts";
import type { EntitlementSettings } from "./config.ts";
import { outlet, publishDeadline } from "./outlet.ts";
import type { ChangeParameters, ChangeRow, EntitlementSql, OutboxClaimRow } from "./sql.gen.ts";

export interface FirstPublishesOptions {
  readonly kernel: KernelSettings;
  readonly settings: EntitlementSettings;
  readonly context: RoleContext;
  readonly flow: Flow;
  readonly change: (parameters: ChangeParameters) => Promise<ChangeRow[]>;
  readonly wakeRelay: () => void;
}

/** The API publishes what it has just written, if it can be done at once; everything else is the relay's. */
export function firstPublishes({ kernel, settings, context, flow, change, wakeRelay }: FirstPublishesOptions) {
  const { worker, log, metrics } = context;
  const { deadline } = kernel.database;
  const lease = 2 * publishDeadline(settings); // as short as it may be: what an API that dies has claimed waits for its end
  const pool = connect({ url: settings.appUrl, name: `${worker} publish`, max: 2, statementTimeout: deadline, durable: false });
  const { outbox } = bindStatements<EntitlementSql>(pool, readStatements(["kernel", "entitlement"]), metrics, deadline);
  const { broker, isOpen, mayPublish, deliver } = outlet({ kernel, settings, context, outbox, flow, lease });

  /** Nobody who grants waits until it is known whether the stream can be trusted. */
  function isReady(): boolean {
    if (isOpen()) return true;
    mayPublish().catch(error => log.debug({ error }, "first_attempt.not_ready"));
    return false;
  }
  broker.onConnect(isReady);
  const isOn = settings.outbox.firstAttempt === "api";
  const attempts = firstAttempts({
    worker,
    lease,
    atOnce: isOn ? 1 : 0,
    isReady,
    deliver,
    wakeOthers: wakeRelay,
    log,
  });

  const run = (batch: ChangeBatch) =>
    attempts.write(async claiming => {
      const rows = await change({ ...batch, ...claiming });
      const claimed = rows.flatMap(row => claimRow(row, batch) ?? []);
      const events = rows.filter(({ replayed, response_code }) => !replayed && response_code === 200);
      return { claimed, left: claimed.length < events.length, result: rows };
    });
  const closing = service({ start: async () => {}, stop: () => pool.end({ timeout: 1 }) });
  const ending = service({ start: async () => {}, stop: async () => attempts.end() });
  return { run, connections: together([closing, ...(isOn ? [broker] : [])]), attempts: group([attempts, ending]) };
}

/** What was claimed, as the relay's own claim would return it. */
function claimRow({ n, claimed_id, claimed_payload }: ChangeRow, batch: ChangeBatch): OutboxClaimRow | undefined {
  if (claimed_id === null) return undefined;
  const [userId, sku] = [batch.user_id[n - 1]!, batch.stock_keeping_unit[n - 1]!];
  return {
    event_id: claimed_id,
    event_type: batch.target[n - 1] === "ACTIVE" ? "EntitlementGranted" : "EntitlementRevoked",
    aggregate_key: `${userId}:${sku}`,
    aggregate_version: (claimed_payload as { version: number }).version,
    payload: claimed_payload!,
    traceparent: batch.traceparent[n - 1]!,
    attempt_count: 0,
    publish_generation: 0,
  };
}
