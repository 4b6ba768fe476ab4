import { dueBound } from "../../kernel/delivery/due_bound.ts";
import { type LeasedWorker, leasedWorker } from "../../kernel/delivery/leased_worker.ts";
import type { LivenessOptions, Work } from "../../kernel/delivery/liveness.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import type { EntitlementSettings } from "../config.ts";
import type { EntitlementSql, OutboxClaimRow, OutboxDepthRow } from "../sql.gen.ts";
import type { PublishPipeline } from "./publish_pipeline.ts";

export interface RelayOptions {
  readonly context: RoleContext;
  readonly tuning: EntitlementSettings["outbox"];
  readonly outbox: EntitlementSql["outbox"];
  readonly pipeline: Pick<PublishPipeline, "mayPublish" | "deliver" | "stream">;
  readonly work: Work;
  readonly isPaused: () => boolean;
  readonly liveness: Pick<LivenessOptions, "every" | "looks" | "answers">;
}

/** Publishes the events of the outbox that are due. */
export function relay({ context, tuning, outbox, pipeline, work, isPaused, liveness }: RelayOptions): LeasedWorker {
  const { metrics } = context;
  const { mayPublish, deliver, stream } = pipeline;
  return leasedWorker<{ event_id: string }, OutboxClaimRow, "pending" | "in_flight" | "failed" | "unconfirmed">({
    name: "outbox",
    laneName: "outbox.relay",
    context,
    tuning,
    table: outbox,
    idOf: row => row.event_id,
    ids: "event_ids",
    /** Claims only while the stream may be published to, and only if no event was lost since the check. */
    async claimWith() {
      const check = await mayPublish();
      return check && (parameters => outbox.claim({ ...parameters, stream: stream.name, resend_before: check.resendBefore }));
    },
    isPaused,
    deliver,
    reclaimed: metrics.counter("outbox_reclaimed_total", "Events taken back from a worker whose lease ran out."),
    depth: {
      gauge: metrics.gauge("outbox_depth", "Events by state, counted up to 10,001.", ["state"]),
      oldest: metrics.gauge("outbox_oldest_pending_seconds", "Age of the oldest event that is not published, since it was created."),
      states: ["pending", "in_flight", "failed", "unconfirmed"],
      read: depthOf(outbox),
    },
    work,
    liveness,
  });
}

/** The count of unconfirmed events has a lower bound of its own. */
function depthOf(outbox: EntitlementSql["outbox"]) {
  let row: OutboxDepthRow | undefined;
  let from = { due_from: "-infinity", lease_from: "-infinity" };
  const unconfirmed = dueBound(async published_from => {
    [row] = await outbox.depth({ ...from, published_from });
    return row && { bound: row.unconfirmed_from };
  }, 60_000);
  return async (newFrom: typeof from) => {
    from = newFrom;
    await unconfirmed.advance();
    return row;
  };
}
