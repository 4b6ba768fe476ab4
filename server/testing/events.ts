import { create, toBinary } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { type EntitlementEvent, EntitlementEventSchema } from "../gen/kenri/entitlement/v1/entitlement_event_pb.ts";
import { readSettings } from "../kernel/config/config.ts";
import { kernelSettings } from "../kernel/config/settings.ts";
import { createSignatures, type Signatures, signatureHeader } from "../kernel/nats/signatures.ts";

export type Facts = Partial<Omit<EntitlementEvent, "$typeName" | "$unknown">>;

/** An event as an outbox would publish it, with these facts changed, and its headers. It is not signed. */
export function eventMessage(facts: Facts = {}): { data: Uint8Array; headers: Record<string, string> } {
  const event = create(EntitlementEventSchema, {
    eventId: crypto.randomUUID(),
    eventType: "EntitlementGranted",
    occurredAt: timestampNow(),
    userId: "somebody",
    stockKeepingUnit: "item",
    source: "purchase",
    sourceId: "p_1",
    version: 1n,
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    ...facts,
  });
  return {
    data: toBinary(EntitlementEventSchema, event),
    headers: {
      "Nats-Msg-Id": event.eventId,
      event_type: event.eventType,
      aggregate_key: encodeURI(`${event.userId}:${event.stockKeepingUnit}`),
    },
  };
}

type Environment = Readonly<Record<string, string>>;

/** The signatures of a Kenri with this environment. */
const signaturesOf = (environment: Environment): Signatures =>
  createSignatures(readSettings({ keys: kernelSettings.signingKeys }, environment).keys);

/** Signed headers for this data, by default on the subject of entitlement's events. */
export function signedHeaders(
  environment: Environment,
  data: Uint8Array | string,
  headers: Record<string, string> = {},
  subject = environment.ENTITLEMENT_SUBJECT!,
) {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const signature = signaturesOf(environment).sign({ subject, headers, data: bytes });
  return { ...headers, ...(signature ? { [signatureHeader]: signature } : {}) };
}
