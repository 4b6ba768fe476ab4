import type { KernelSettings } from "../../kernel/config/settings.ts";
import { withinLease } from "../../kernel/delivery/lease.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import { streamPublishing } from "../../kernel/nats/stream_publishing.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import type { EntitlementSettings } from "../config.ts";
import { encodeMessage } from "../event.ts";
import type { EntitlementSql, OutboxClaimRow } from "../sql.gen.ts";
import { publishClaim } from "./publish_claim.ts";
import { streamRecord } from "./stream_record.ts";

export interface PublishPipelineOptions {
  readonly kernel: KernelSettings;
  readonly settings: EntitlementSettings;
  readonly context: RoleContext;
  readonly outbox: EntitlementSql["outbox"];
  readonly flow: Flow;
  /** How long the claims hold that are published here. */
  readonly lease: number;
  /** Called when some of them were released untried. */
  readonly released?: () => void;
  /** Called when events were requeued because the stream lost them. */
  readonly requeued?: (count: number) => void;
}

/** Everything that publishing a claim needs. */
export function publishPipeline({ kernel, settings, context, outbox, flow, lease, released, requeued }: PublishPipelineOptions) {
  const { worker, log, metrics, tracer, faults } = context;
  const { stream, subject, natsUrls } = settings;
  const { maxAttempts } = settings.outbox;
  const publishWithin = withinLease(settings.outbox.publishWithin, settings.outbox.lease);
  const publishing = streamPublishing<OutboxClaimRow>({
    name: "outbox",
    kernel,
    natsUrls,
    context,
    stream: { name: stream, subject },
    publishWithin,
    record: streamRecord(outbox, stream),
    encode: encodeMessage,
    requeued,
  });
  const { publish, checks, breaker } = publishing;
  return {
    ...publishing,
    deliver: publishClaim({
      outbox,
      publish,
      checks,
      breaker,
      faults,
      flow,
      worker,
      lease,
      publishWithin,
      maxAttempts,
      released,
      log,
      metrics,
      tracer,
    }),
  };
}

export type PublishPipeline = ReturnType<typeof publishPipeline>;
