import type { Signable, SignatureFault, Signatures } from "../../kernel/nats/signatures.ts";
import { isProbe } from "../../kernel/nats/store_probe.ts";
import type { Decode } from "./event_rules.ts";

/** A message from the stream or from the raw dead letters. */
export interface Arrived extends Signable {
  /** In milliseconds. */
  readonly arrivedAt: number;
}

/** Why a message is not consumed. */
export type Cause = SignatureFault | "undecodable" | "invalid" | "unstorable";

/** What a message is. `untrusted`: the fault of its signature. If null, the signature is valid and the message id counts. */
export type Incoming<Event> = { readonly kind: "event"; readonly event: Event } | { readonly kind: "probe" } | Refused;

export interface Refused {
  readonly kind: "refused";
  readonly cause: Cause;
  readonly reason: string;
  readonly untrusted: SignatureFault | null;
}

/** The signature is checked first. Without a valid one nothing is decoded. */
export function readMessage<Event>(message: Arrived, decode: Decode<Event>, signatures: Signatures): Incoming<Event> {
  const refusal = signatures.refusalOf(message);
  if (refusal) return { kind: "refused", cause: refusal.fault, reason: refusal.reason, untrusted: refusal.fault };
  return readTrusted(message, decode);
}

/** Reads a message whose signature was valid when it arrived. */
export function readTrusted<Event>(message: Arrived, decode: Decode<Event>): Incoming<Event> {
  if (isProbe(message)) return { kind: "probe" };
  const decoded = decode(message.data, message.headers, message.arrivedAt);
  return "event" in decoded ? { kind: "event", ...decoded } : { kind: "refused", untrusted: null, ...decoded };
}
