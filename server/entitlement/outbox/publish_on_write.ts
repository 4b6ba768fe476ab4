import type { KernelSettings } from "../../kernel/config/settings.ts";
import { claimOnWrite, unclaimed } from "../../kernel/delivery/claim_on_write.ts";
import { lostClaims } from "../../kernel/delivery/lost_claims.ts";
import { withTimeout } from "../../kernel/life/deadline.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import { parallel, type Service, service } from "../../kernel/life/service.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import { connect } from "../../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import type { ChangeBatch } from "../changes/changes.ts";
import type { EntitlementSettings } from "../config.ts";
import type { ChangeParameters, ChangeRow, EntitlementSql, OutboxClaimRow } from "../sql.gen.ts";
import { publishPipeline } from "./publish_pipeline.ts";

type Change = (parameters: ChangeParameters) => Promise<ChangeRow[]>;

export interface FirstPublishesOptions {
  readonly kernel: KernelSettings;
  readonly settings: EntitlementSettings;
  readonly context: RoleContext;
  readonly flow: Flow;
  readonly change: Change;
  readonly wakeRelay: () => void;
}

/** The change statement, and what becomes of the events that it writes. */
export interface Publishes {
  readonly run: (batch: ChangeBatch) => Promise<ChangeRow[]>;
  readonly connections: Service;
  /** A stop leaves everything new to the relay, and waits for what is under way. */
  readonly attempts: Service;
}

const isEvent = ({ replayed, response_code }: ChangeRow) => !replayed && response_code === 200;

export function leftToRelay(change: Change, wakeRelay: () => void): Publishes {
  const nothing = service({ start: async () => {}, stop: async () => {} });
  async function run(batch: ChangeBatch): Promise<ChangeRow[]> {
    const rows = await change({ ...batch, ...unclaimed, stream: null, resend_before: null });
    if (rows.some(isEvent)) wakeRelay();
    return rows;
  }
  return { run, connections: nothing, attempts: nothing };
}

/** The API publishes what it has just written, if that can be done at once; everything else is the relay's. */
export function firstPublishes({ kernel, settings, context, flow, change, wakeRelay }: FirstPublishesOptions): Publishes {
  const { worker, log, metrics } = context;
  const { deadline } = kernel.database;
  const stopWithin = kernel.shutdownWithin / 2;
  const lease = Math.min(settings.outbox.firstLease, settings.outbox.lease);
  const pool = connect({ url: settings.appUrl, name: `${worker} publish`, max: 2, statementTimeout: deadline, durable: false });
  const { outbox } = bindStatements<EntitlementSql>(pool, readStatements(["kernel", "entitlement"]), metrics, deadline);
  const pipeline = publishPipeline({ kernel, settings, context, outbox, flow, lease, released: wakeRelay });
  const { broker, guard, stream } = pipeline;
  const lost = lostClaims({ name: "outbox", lease, release: outbox.release_claims, released: wakeRelay, log, metrics });
  const attempts = claimOnWrite<OutboxClaimRow>({
    worker,
    lease,
    lost,
    renew: async ({ token, rows }) =>
      (await outbox.renew({ token, event_id: rows.map(row => row.event_id), lease_seconds: lease / 1000 })).length > 0,
    atOnce: 1,
    isReady: pipeline.isKnownToBeOpen,
    stopWithin,
    deliver: pipeline.deliver,
    wakeOthers: wakeRelay,
    idOf: row => row.event_id,
    log,
  });

  const run = (batch: ChangeBatch) =>
    attempts.write(async claiming => {
      const seal = guard.seal();
      const rows = await change({ ...batch, ...claiming, stream: stream.name, resend_before: seal?.resendBefore ?? null });
      const claimed = rows.flatMap(row => claimRow(row, batch) ?? []);
      const isAll = claimed.length === rows.filter(isEvent).length;
      if (claimed.length === 0 || guard.seal() === seal) return { claimed, hasUnclaimed: !isAll, result: rows };
      // The stream was looked at meanwhile: what it lost comes first.
      lost.putBack(claiming.token!);
      return { claimed: [], hasUnclaimed: true, result: rows };
    });

  // It may put back everything that the stream lost, and a stop does not wait for that.
  const looking = service({
    start: pipeline.looking.start,
    stop: () => withTimeout(stopWithin, "a look at the stream", pipeline.looking.stop()).catch(error => log.warn({ error }, "outbox.look")),
  });
  const closing = service({ start: async () => {}, stop: () => pool.end({ timeout: 1 }) });
  return { run, connections: parallel([closing, broker]), attempts: parallel([attempts, lost, looking]) };
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
