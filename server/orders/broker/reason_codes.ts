/** The reason codes that Kenri gives. What may be done with an order depends on some of them, so no answer of a broker may have one. */
export const ownCodes = [
  "CANCELLED",
  "EXPIRED",
  "RESOLVED_FAILED",
  "BROKER_UNAVAILABLE",
  "LEASE_ENDED",
  "NO_ATTEMPT_LEFT",
  "CONNECTION_REFUSED",
  "UNKNOWN_HOST",
  "CONNECTION_LOST",
  "TIMEOUT",
  "GIVEN_UP",
  "UNREADABLE_ANSWER",
  "OTHER_ORDER",
  "WORKING",
] as const;

export type OwnCode = (typeof ownCodes)[number];

const own: ReadonlySet<string> = new Set(ownCodes);
const ofStatus = /^HTTP_\d{3}$/;
const form = /^[A-Z][A-Z0-9_]{0,63}$/;

export const isOwnCode = (code: string): boolean => own.has(code) || ofStatus.test(code);

/** The reason code of a broker's answer, as it is stored: one of Kenri's own gets a prefix. Undefined if it has not the form of a code. */
export function brokerCode(code: unknown): string | undefined {
  if (typeof code !== "string" || !form.test(code)) return undefined;
  return isOwnCode(code) ? `BROKER_${code}` : code;
}
