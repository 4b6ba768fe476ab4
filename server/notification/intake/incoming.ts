import type { Signable, SignatureFault, Signatures } from "../../kernel/nats/signatures.ts";
import { isProbe } from "../../kernel/nats/store_probe.ts";
import { decodeEvent, type IncomingEvent } from "./event.ts";

/** A message as it came, from the stream or from the raw dead letters. */
export interface Arrived extends Signable {
  /** In milliseconds. */
  readonly arrivedAt: number;
}

/** Why a message is not consumed. */
export type Cause = SignatureFault | "undecodable" | "invalid" | "unstorable";

/** What a message is. `untrusted`: what is wrong with the signature of a refused one; null if nothing is, so that its message id counts. */
export type Incoming =
  | { readonly kind: "event"; readonly event: IncomingEvent }
  | { readonly kind: "probe" }
  | { readonly kind: "refused"; readonly cause: Cause; readonly reason: string; readonly untrusted: SignatureFault | null };

/** The signature comes first: nothing of what a stranger sends is looked at. */
export function readMessage(message: Arrived, signatures: Signatures): Incoming {
  const refusal = signatures.refusalOf(message);
  if (refusal) return { kind: "refused", cause: refusal.fault, reason: refusal.reason, untrusted: refusal.fault };
  return readTrusted(message);
}

/** What a message is whose signature was right when it came. */
export function readTrusted(message: Arrived): Incoming {
  if (isProbe(message)) return { kind: "probe" };
  const decoded = decodeEvent(message.data, message.headers, message.arrivedAt);
  return "event" in decoded ? { kind: "event", ...decoded } : { kind: "refused", untrusted: null, ...decoded };
}
