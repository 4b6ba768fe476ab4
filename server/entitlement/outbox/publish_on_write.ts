import type { KernelSettings } from "../../kernel/config/settings.ts";
import { type Claiming, claimOnWrite, type Reservation, unclaimed } from "../../kernel/delivery/claim_on_write.ts";
import { lostClaims } from "../../kernel/delivery/lost_claims.ts";
import { withTimeout } from "../../kernel/life/deadline.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import { parallel, type Service, service } from "../../kernel/life/service.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import { connect } from "../../kernel/postgres/database.ts";
import { databaseOutage } from "../../kernel/postgres/database_outage.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import type { EntitlementSettings } from "../config.ts";
import type { EntitlementSql, OutboxClaimRow } from "../sql.gen.ts";
import { publishPipeline } from "./publish_pipeline.ts";

/** Parameters of the statement that writes events. `resend_before` as of the last check of the stream. */
export type PublishParameters = Claiming & { readonly stream: string | null; readonly resend_before: string | null };

/** One statement's turn; see `Reservation`. */
export interface PublishReservation {
  readonly parameters: PublishParameters;
  /** The statement has committed. Publishes the claimed events in the background; the rest is left to the relay. */
  publish(claimed: readonly OutboxClaimRow[], hasUnclaimed: boolean): void;
  fail(error: unknown): void;
}

/** How the events that the API writes are published. */
export interface PublishOnWrite {
  /** Comes before the statement that writes events. */
  reserve(): PublishReservation;
  readonly connections: Service;
  /** A stop leaves everything new to the relay, and waits for the publishes under way. */
  readonly attempts: Service;
}

/** The relay publishes everything. */
export function leaveToRelay(wakeRelay: () => void): PublishOnWrite {
  const nothing = service({ start: async () => {}, stop: async () => {} });
  const reserved: PublishReservation = {
    parameters: { ...unclaimed, stream: null, resend_before: null },
    publish: (_, hasUnclaimed) => void (hasUnclaimed && wakeRelay()),
    fail: () => {},
  };
  return { reserve: () => reserved, connections: nothing, attempts: nothing };
}

export interface PublishOnWriteOptions {
  readonly kernel: KernelSettings;
  readonly settings: EntitlementSettings;
  readonly context: RoleContext;
  readonly flow: Flow;
  readonly wakeRelay: () => void;
  /** Whether the relay is paused: then nothing is published here either. */
  readonly isPaused: () => boolean;
}

// Beyond that the relay takes over. Each has a connection to settle by.
const batchesAtOnce = 4;

/** The API publishes the events that it has just written, if it can do so at once; the relay publishes the rest. */
export function publishOnWrite({ kernel, settings, context, flow, wakeRelay, isPaused }: PublishOnWriteOptions): PublishOnWrite {
  const { worker, log, metrics } = context;
  const { deadline } = kernel.database;
  const stopWithin = kernel.shutdownWithin / 2;
  const lease = Math.min(settings.outbox.firstLease, settings.outbox.lease);
  const pool = connect({ url: settings.appUrl, name: `${worker} publish`, max: batchesAtOnce, statementTimeout: deadline, durable: false });
  const { outbox } = bindStatements<EntitlementSql>(
    pool,
    readStatements(["kernel", "entitlement"]),
    metrics,
    deadline,
    databaseOutage(settings.appUrl, log),
  );
  const pipeline = publishPipeline({ kernel, settings, context, outbox, flow, lease, released: wakeRelay });
  const { broker, checks, stream } = pipeline;
  const lost = lostClaims({ name: "outbox", lease, release: outbox.release_claims, released: wakeRelay, log, metrics });
  const attempts = claimOnWrite<OutboxClaimRow>({
    worker,
    lease,
    lost,
    renew: async ({ token, rows }) =>
      (await outbox.renew({ token, event_id: rows.map(row => row.event_id), lease_seconds: lease / 1000 })).length > 0,
    atOnce: batchesAtOnce,
    isReady: () => !isPaused() && pipeline.isKnownToBeOpen(),
    stopWithin,
    deliver: pipeline.deliver,
    wakeOthers: wakeRelay,
    idOf: row => row.event_id,
    log,
  });

  function reserve(): PublishReservation {
    const reserved: Reservation<OutboxClaimRow> = attempts.reserve();
    const check = checks.current();
    return {
      parameters: { ...reserved.claiming, stream: stream.name, resend_before: check?.resendBefore ?? null },
      publish(claimed, hasUnclaimed) {
        if (claimed.length === 0 || checks.current() === check) return reserved.start(claimed, hasUnclaimed);
        // The stream was checked meanwhile. If it lost events, those go first.
        lost.requeue(reserved.claiming.token!);
        reserved.start([], true);
      },
      fail: reserved.fail,
    };
  }

  // A check may requeue everything that the stream lost, and a stop does not wait for that.
  const rechecking = service({
    start: pipeline.rechecking.start,
    stop: () =>
      withTimeout(stopWithin, "the check of the stream", pipeline.rechecking.stop()).catch(error => log.warn({ error }, "outbox.look")),
  });
  const closing = service({ start: async () => {}, stop: () => pool.end({ timeout: 1 }) });
  return { reserve, connections: parallel([closing, broker]), attempts: parallel([attempts, lost, rechecking]) };
}
