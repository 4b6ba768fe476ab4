import type { NatsConnection } from "@nats-io/nats-core";
import type { NatsAccess } from "../../kernel/config/nats_access.ts";
import { countWork, type LivenessOptions, liveness } from "../../kernel/delivery/liveness.ts";
import type { Pauses } from "../../kernel/life/pauses.ts";
import type { RoleContext } from "../../kernel/life/role.ts";
import { parallel, type Service } from "../../kernel/life/service.ts";
import { type Broker, byOwnConnection } from "../../kernel/nats/broker.ts";
import { consumerBacklog } from "../../kernel/nats/streams.ts";
import { type Received, subscription } from "../../kernel/nats/subscription.ts";
import type { ConsumerParts } from "./consumer.ts";
import type { Source } from "./source.ts";

export interface SubscribeOptions {
  readonly source: Source;
  readonly batch: number;
  readonly broker: Broker;
  readonly access: NatsAccess;
  readonly context: RoleContext;
  readonly parts: ConsumerParts;
  readonly pauses: Pauses;
  readonly liveness: Pick<LivenessOptions, "every" | "looks" | "answers">;
}

/** Reads the stream of a source, and watches that it does. Each source is watched alone: the others may hide that it stands still. */
export function subscribeSource({ source, batch, broker, access, context, parts, pauses, liveness: looks }: SubscribeOptions): Service {
  const { consumer } = source;
  const { worker, log, metrics, faults } = context;
  const { handle, startAnew } = source.consume(parts);
  broker.onConnect(startAnew);
  const work = countWork();
  const isPaused = () => pauses.isPaused(context.role);
  let acknowledged = 0;

  /** Messages wait, and none was acknowledged since the last look. */
  async function isDue(): Promise<boolean> {
    const ask = (nats: NatsConnection) => consumerBacklog(nats, consumer.stream, consumer.durable);
    const apart = () => byOwnConnection(access, `${worker} liveness of ${source.name}`, ask);
    const backlog = await (broker.connected() ? ask(broker.connection()).catch(apart) : apart());
    const before = acknowledged;
    acknowledged = backlog?.acknowledged ?? 0;
    return backlog !== undefined && backlog.open > 0 && acknowledged === before;
  }

  const alive = liveness({ context, of: source.name, ...looks, longestBatch: consumer.ackWait, work, isPaused, isDue });
  const intake = subscription({
    broker,
    consumer,
    batch,
    isPaused,
    handle: work.counted(
      async (messages: readonly Received[]) => {
        await faults.pass();
        return handle(messages);
      },
      verdicts => verdicts.length,
    ),
    log,
    metrics,
  });
  pauses.onChange(intake.pauseChanged);
  return parallel([intake, alive]);
}
