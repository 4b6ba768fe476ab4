import { createBreaker } from "../kernel/breaker.ts";
import { createBroker } from "../kernel/broker.ts";
import type { Flow } from "../kernel/flow.ts";
import { loop } from "../kernel/loop.ts";
import type { RoleContext } from "../kernel/role.ts";
import type { KernelSettings } from "../kernel/settings.ts";
import { ensureStream } from "../kernel/streams.ts";
import type { EntitlementSettings } from "./config.ts";
import { dispatch } from "./dispatch.ts";
import { publisher } from "./publisher.ts";
import type { EntitlementSql } from "./sql.gen.ts";
import { streamGuard } from "./stream_guard.ts";

export interface OutletOptions {
  readonly kernel: KernelSettings;
  readonly settings: EntitlementSettings;
  readonly context: RoleContext;
  readonly outbox: EntitlementSql["outbox"];
  readonly flow: Flow;
  /** How long the claims hold that go out here. */
  readonly lease: number;
  /** Called when some of them were put back untried. */
  readonly released?: () => void;
}

/** A publish that begins in the first half of a lease has its answer, or has given up, before the lease ends. */
export const publishDeadline = ({ outbox }: EntitlementSettings) => Math.min(outbox.publishWithin, outbox.lease / 2);

/** The way out to the stream, with all that watches over it. */
export function outlet({ kernel, settings, context, outbox, flow, lease, released }: OutletOptions) {
  const { worker, log, metrics, health, faults } = context;
  const publishWithin = publishDeadline(settings);
  const broker = createBroker({ url: kernel.natsUrl, name: worker, log, health, metrics });
  const stream = { name: settings.stream, subject: settings.subject, ...kernel.stream };
  const guard = streamGuard({ broker, outbox, stream, log, metrics });
  const breaker = createBreaker({
    name: "publish",
    tolerance: 5,
    probeEvery: 1000,
    probeWithin: 10_000,
    probe: () => ensureStream(broker.connection(), stream),
    log,
    health,
  });
  const publish = publisher({ broker, breaker, faults, subject: settings.subject, deadline: publishWithin, streamMissing: guard.distrust });
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
    /** The seal of the stream if it may be published to now; finds out if that is not known. */
    mayPublish,
    /** The same as far as it is known. */
    isKnownToBeOpen: () => !breaker.isOpen() && guard.seal() !== undefined,
    deliver: dispatch({ outbox, publish, guard, breaker, faults, flow, worker, lease, publishWithin, maxAttempts, released, log, metrics }),
  };
}
