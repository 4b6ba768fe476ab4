import { natsAccess } from "../../kernel/config/nats_access.ts";
import type { KernelSettings } from "../../kernel/config/settings.ts";
import { withinLease } from "../../kernel/delivery/lease.ts";
import { loop } from "../../kernel/life/loop.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import { createBreaker } from "../../kernel/nats/breaker.ts";
import { BrokerAway, createBroker } from "../../kernel/nats/broker.ts";
import { createSignatures } from "../../kernel/nats/signatures.ts";
import { storeProbe } from "../../kernel/nats/store_probe.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import type { EntitlementSettings } from "../config.ts";
import type { EntitlementSql } from "../sql.gen.ts";
import { publishClaim } from "./publish_claim.ts";
import { publisher } from "./publisher.ts";
import { streamChecks } from "./stream_checks.ts";

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

/** Everything that publishing a claim needs: the connection, the check of the stream, the breaker with its probe, and the publisher. */
export function publishPipeline({ kernel, settings, context, outbox, flow, lease, released, requeued = () => {} }: PublishPipelineOptions) {
  const { worker, log, metrics, health, faults } = context;
  const publishWithin = withinLease(settings.outbox.publishWithin, settings.outbox.lease);
  const broker = createBroker({ nats: natsAccess(kernel.nats, settings.natsUrls, context.role), name: worker, log, health, metrics });
  const stream = { name: settings.stream, subject: settings.subject, ...kernel.stream };
  const signatures = createSignatures(kernel.signingKeys);
  const checks = streamChecks({ broker, outbox, stream, requeued, log, metrics });
  const breaker = createBreaker({
    name: "publish",
    tolerance: 5,
    probeEvery: 1000,
    probeWithin: 10_000,
    probe,
    log,
    health,
  });
  const { publish, largestUnstored } = publisher({
    broker,
    breaker,
    faults,
    stream: stream.name,
    subject: stream.subject,
    deadline: publishWithin,
    signatures,
    invalidate: checks.invalidate,
  });
  const storesProbe = storeProbe(broker, {
    stream: stream.name,
    subject: stream.subject,
    deadline: Math.min(publishWithin, 3000),
    signatures,
  });
  /** The stream is checked first: a probe is a message too, and would hide that the last one was lost. */
  async function probe(): Promise<void> {
    if (!(await checks.passes())) throw new BrokerAway();
    await storesProbe(largestUnstored());
  }
  const { maxAttempts } = settings.outbox;
  const mayPublish = async () => ((await breaker.allows()) && (await checks.passes()) ? checks.current() : undefined);

  /** Another process may have found that the stream lost messages. */
  async function recheck(): Promise<number> {
    const check = checks.current();
    const [recorded] = check ? await outbox.stream({ stream: stream.name }) : [];
    if (check && recorded && check === checks.current() && recorded.resend_before !== check.resendBefore) checks.invalidate();
    await mayPublish();
    return 0;
  }
  const rechecking = loop({ name: "outbox.look", runOnce: recheck, full: Number.POSITIVE_INFINITY, interval: 1000, log, metrics });
  broker.onConnect(rechecking.wake);

  return {
    broker,
    checks,
    stream,
    rechecking,
    signatures,
    largestUnstored,
    /** The check of the stream if it may be published to now. Checks the stream first if there is no valid check. */
    mayPublish,
    /** The same without a check. */
    isKnownToBeOpen: () => !breaker.isOpen() && checks.current() !== undefined,
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
    }),
  };
}

export type PublishPipeline = ReturnType<typeof publishPipeline>;
