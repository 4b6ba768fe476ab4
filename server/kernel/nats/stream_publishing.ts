import type { Settings } from "../config/config.ts";
import { natsAccess, type RoleUrls } from "../config/nats_access.ts";
import type { KernelSettings } from "../config/settings.ts";
import { loop } from "../life/loop.ts";
import type { RoleContext } from "../life/role.ts";
import { createBreaker } from "./breaker.ts";
import { BrokerAway, byOwnConnection, createBroker } from "./broker.ts";
import { type EventMessage, publisher } from "./publisher.ts";
import { createSignatures } from "./signatures.ts";
import { storeProbe, storesProbeBy } from "./store_probe.ts";
import { type StreamRecord, streamChecks } from "./stream_checks.ts";
import type { StreamSpec } from "./streams.ts";

export interface StreamPublishingOptions<Row> {
  /** Metrics and lines of the log begin with it. */
  readonly name: string;
  readonly kernel: Pick<KernelSettings, "nats" | "signingKeys" | "stream">;
  readonly natsUrls: Settings<RoleUrls>;
  readonly context: RoleContext;
  readonly stream: Pick<StreamSpec, "name" | "subject">;
  /** The deadline of a publish, in milliseconds. */
  readonly publishWithin: number;
  readonly record: StreamRecord;
  /** Throws if the row cannot be encoded. */
  readonly encode: (row: Row) => EventMessage;
  /** Called when events were requeued because the stream lost them. */
  readonly requeued?: ((count: number) => void) | undefined;
}

const recheckEvery = 3000;

/** Everything that publishing to a stream needs: the connection, the check of the stream, the breaker with its probe, and the publisher. */
export function streamPublishing<Row>(options: StreamPublishingOptions<Row>) {
  const { name, kernel, natsUrls, context, publishWithin, record, encode, requeued = () => {} } = options;
  const { worker, log, metrics, tracer, health, faults } = context;
  const access = natsAccess(kernel.nats, natsUrls, context.role);
  const broker = createBroker({ nats: access, name: worker, log, health, metrics });
  const stream: StreamSpec = { name: options.stream.name, subject: options.stream.subject, ...kernel.stream };
  const signatures = createSignatures(kernel.signingKeys);
  const checks = streamChecks({ name, broker, record, stream, requeued, log, metrics });
  const breaker = createBreaker({
    name: "publish",
    says: `JetStream of NATS (${access.servers.join(", ")}) does not store in the stream ${stream.name}. Events wait, no attempt is charged, and a probe a second finds out when it works. Check that NATS answers, and its disk, quota and stream`,
    tolerance: 5,
    probeEvery: 1000,
    probeWithin: 10_000,
    probe,
    log,
    health,
    metrics,
  });
  const target = { stream: stream.name, subject: stream.subject, signatures };
  const { publish, largestUnstored } = publisher({
    name,
    tracer,
    ...target,
    broker,
    breaker,
    faults,
    deadline: publishWithin,
    encode,
    invalidate: checks.invalidate,
  });
  const storesProbe = storeProbe(broker, { ...target, deadline: Math.min(publishWithin, 3000) });
  /** The stream is checked first: a probe is a message too, and would hide that the last one was lost. */
  async function probe(): Promise<void> {
    if (!(await checks.passes())) throw new BrokerAway();
    await storesProbe(largestUnstored());
  }
  const mayPublish = async () => ((await breaker.allows()) && (await checks.passes()) ? checks.current() : undefined);

  /** Another process may have found that the stream lost messages. */
  async function recheck(): Promise<number> {
    const check = checks.current();
    const recorded = check && (await record.read());
    if (recorded && check === checks.current() && recorded.resendBefore !== check.resendBefore) checks.invalidate();
    await mayPublish();
    return 0;
  }
  const rechecking = loop({ name: `${name}.look`, runOnce: recheck, full: Number.POSITIVE_INFINITY, interval: recheckEvery, log, metrics });
  broker.onConnect(rechecking.wake);

  return {
    broker,
    checks,
    stream,
    breaker,
    signatures,
    publish,
    rechecking,
    largestUnstored,
    /** The check of the stream if it may be published to now. Checks the stream first if there is no valid check. */
    mayPublish,
    /** The same without a check. */
    isKnownToBeOpen: () => !breaker.isOpen() && checks.current() !== undefined,
    /** Resolves when the stream has stored a probe over a connection of its own, whatever the state of this one. */
    storesByOwnConnection: () =>
      byOwnConnection(access, `${worker} liveness`, nats => storesProbeBy(nats, { ...target, deadline: 3000 }, largestUnstored())),
  };
}

export type StreamPublishing<Row> = ReturnType<typeof streamPublishing<Row>>;
