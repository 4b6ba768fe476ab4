import { natsAccess } from "../../kernel/config/nats_access.ts";
import type { KernelSettings } from "../../kernel/config/settings.ts";
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
  /** How long the claims hold that go out here. */
  readonly lease: number;
  /** Called when some of them were put back untried. */
  readonly released?: () => void;
  /** Called when events were put back because the stream lost them. */
  readonly putBack?: (count: number) => void;
}

/** A publish that begins in the first half of a lease has its answer, or has given up, before the lease ends. */
export const publishDeadline = ({ outbox }: EntitlementSettings) => Math.min(outbox.publishWithin, outbox.lease / 2);

/** The way out to the stream, with all that watches over it. */
export function publishPipeline({ kernel, settings, context, outbox, flow, lease, released, putBack = () => {} }: PublishPipelineOptions) {
  const { worker, log, metrics, health, faults } = context;
  const publishWithin = publishDeadline(settings);
  const broker = createBroker({ nats: natsAccess(kernel.nats, settings.natsUrls, context.role), name: worker, log, health, metrics });
  const stream = { name: settings.stream, subject: settings.subject, ...kernel.stream };
  const signatures = createSignatures(kernel.signingKeys);
  const guard = streamChecks({ broker, outbox, stream, putBack, log, metrics });
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
    distrust: guard.distrust,
  });
  const storesProbe = storeProbe(broker, {
    stream: stream.name,
    subject: stream.subject,
    deadline: Math.min(publishWithin, 3000),
    signatures,
  });
  /** The stream is looked at first: a probe is a message too, and would hide that the last one was lost. */
  async function probe(): Promise<void> {
    if (!(await guard.passes())) throw new BrokerAway();
    await storesProbe(largestUnstored());
  }
  const { maxAttempts } = settings.outbox;
  const mayPublish = async () => ((await breaker.allows()) && (await guard.passes()) ? guard.seal() : undefined);

  /** Somebody else may have found that the stream lost messages. */
  async function look(): Promise<number> {
    const seal = guard.seal();
    const [recorded] = seal ? await outbox.stream({ stream: stream.name }) : [];
    if (seal && recorded && seal === guard.seal() && recorded.resend_before !== seal.resendBefore) guard.distrust();
    await mayPublish();
    return 0;
  }
  const looking = loop({ name: "outbox.look", runOnce: look, full: Number.POSITIVE_INFINITY, interval: 1000, log, metrics });
  broker.onConnect(looking.wake);

  return {
    broker,
    guard,
    stream,
    looking,
    signatures,
    largestUnstored,
    /** The seal of the stream if it may be published to now; finds out if that is not known. */
    mayPublish,
    /** The same as far as it is known. */
    isKnownToBeOpen: () => !breaker.isOpen() && guard.seal() !== undefined,
    deliver: publishClaim({
      outbox,
      publish,
      guard,
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
