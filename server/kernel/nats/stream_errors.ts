/** An error as JetStream answers it: `code` is like a status of HTTP, `err_code` names the error. */
export interface StreamError {
  readonly code?: number;
  readonly err_code?: number;
  readonly description?: string;
}

/**
 * 4xx errors that speak of the stream, the account or the server: limits of the account or the stream, no peers, unreadable for the server,
 * stream not found, another stream than expected, sealed, being moved or reconfigured, too many requests.
 */
const ofStream = new Set([10002, 10005, 10025, 10027, 10059, 10060, 10109, 10113, 10120, 10122, 10124, 10167, 10185, 10210, 10211, 10226]);

/** 5xx errors that speak of one message: the sequence that its header expects does not match, or cannot be compared yet. */
const ofMessage = new Set([10063, 10163]);

/**
 * Whether an error answer to a publish speaks of the one message, and not of the stream or the server. A code that is not known is judged by its
 * class. 5xx is an outage. 4xx is an attempt: the server says that the request is at fault; taken for an outage, one bad message would open the
 * breaker again and again, and nobody would learn which one it is. As an attempt it ends FAILED, where operators see it.
 */
export function concernsMessage({ code = 500, err_code = 0, description = "" }: StreamError): boolean {
  if (ofStream.has(err_code)) return false;
  if (ofMessage.has(err_code)) return true;
  // The file store hands on errors of its own under one code; this one is about the size of the message.
  if (err_code === 10077 && /\bmessage too? large\b/i.test(description)) return true;
  return code < 500;
}

/** In the server's own words. Of a path only the last part: health is told to anybody, and the rest is the server's own affair. */
export const describeError = ({ err_code = 0, description = "no description" }: StreamError): string =>
  `${description.replaceAll(/(?:\/[^\s/:"\]]+)*\/(?=[^\s/:"\]])/g, "")} (${err_code})`;
