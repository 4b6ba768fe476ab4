/**
 * The key of an order in the tables and at the broker. A client's key is unique for that client only, so the client's id comes first. It is
 * percent-encoded: it has no colon then, so the first colon ends it and no two clients share a stored key.
 */
export const storedKey = (clientId: string, key: string): string => `${encodeURIComponent(clientId)}:${key}`;

/** The client's own key. */
export const clientKey = (stored: string): string => stored.slice(stored.indexOf(":") + 1);
