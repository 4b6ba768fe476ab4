import { fromBinary } from "@bufbuild/protobuf";
import { DeliverPolicy, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { EntitlementEventSchema } from "../gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { signedHeaders } from "./events.ts";
import type { TestKenri } from "./kenri.ts";
import { connectTo } from "./nats.ts";

/** Runs `work` with a new connection to the NATS of a Kenri. */
export async function withNats<T>(kenri: TestKenri, work: (nats: NatsConnection, manager: JetStreamManager) => Promise<T>): Promise<T> {
  const nats = await connectTo(kenri.environment.NATS_URL!);
  try {
    return await work(nats, await jetstreamManager(nats));
  } finally {
    await nats.close();
  }
}

export const streamOf = (kenri: TestKenri): string => kenri.environment.ENTITLEMENT_STREAM!;

export interface StreamMessage {
  readonly seq: number;
  readonly messageId: string;
  readonly data: Uint8Array;
  readonly isProbe: boolean;
}

/** Every message of the stream in order, read by a new consumer. */
export const messagesOf = (kenri: TestKenri): Promise<StreamMessage[]> =>
  withNats(kenri, async (nats, manager) => {
    const { state } = await manager.streams.info(streamOf(kenri));
    const messages: StreamMessage[] = [];
    if (state.messages === 0) return messages;
    const reader = await jetstream(nats).consumers.get(streamOf(kenri), { deliver_policy: DeliverPolicy.All });
    for await (const message of await reader.consume()) {
      const messageId = message.headers?.get("Nats-Msg-Id") ?? "";
      messages.push({ seq: message.seq, messageId, data: message.data, isProbe: message.headers?.has("Kenri-Probe") === true });
      if (message.seq >= state.last_seq) break;
    }
    return messages;
  });

/** The aggregates whose versions are out of order in the stream, by the first place of each version. */
export async function disorderInStream(kenri: TestKenri): Promise<string[]> {
  const seen = new Map<string, number[]>();
  // Kenri's messages have a message id; those of tests have none.
  for (const { data } of (await messagesOf(kenri)).filter(message => message.messageId && !message.isProbe)) {
    const { userId, stockKeepingUnit, version } = fromBinary(EntitlementEventSchema, data);
    const versions = seen.get(`${userId}:${stockKeepingUnit}`) ?? [];
    if (!versions.includes(Number(version))) versions.push(Number(version));
    seen.set(`${userId}:${stockKeepingUnit}`, versions);
  }
  return [...seen]
    .filter(([, versions]) => versions.some((version, index) => index > 0 && version < versions[index - 1]!))
    .map(([aggregate, versions]) => `${aggregate}: ${versions}`);
}

/** Publishes bytes that no relay would publish, with a valid signature. Returns their sequence. */
export const putOnStream = (kenri: TestKenri, data: Uint8Array | string, named: Record<string, string> = {}): Promise<number> =>
  putUnsigned(kenri, data, signedHeaders(kenri.environment, data, named));

/** The same with exactly these headers and no signature. */
export const putUnsigned = (
  kenri: TestKenri,
  data: Uint8Array | string,
  named: Record<string, string> = {},
  subject = kenri.environment.ENTITLEMENT_SUBJECT!,
): Promise<number> =>
  withNats(kenri, async nats => {
    const map = headers();
    for (const [name, value] of Object.entries(named)) map.set(name, value);
    return (await jetstream(nats).publish(subject, data, { headers: map })).seq;
  });
