/**
 * Any text as one token of a NATS subject, in which dots, spaces and wildcards have a meaning: 22 characters of its SHA-256 (132 bits). This also
 * keeps user ids out of the broker's logs.
 */
export const subjectToken = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 22);
