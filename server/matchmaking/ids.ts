/** The id of a request to join: the same for every repetition, whatever the store remembers. */
export const joinIdOf = (userId: string, mode: string, idempotencyKey: string): string => uuidOf([userId, mode, idempotencyKey]);

/** The id of the notice to a player about a match. */
export const noticeIdOf = (matchId: string, userId: string): string => uuidOf([matchId, userId]);

/** A UUID of version 8, made of a SHA-256. */
function uuidOf(parts: readonly string[]): string {
  const bytes = new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
