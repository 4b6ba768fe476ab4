import type { Databases } from "./chains.ts";

/** A raw dead letter that was signed with a key which the system does not have. */
export async function putUnknownKey({ notification: sql }: Databases): Promise<{ id: string }> {
  const headers = sql.json({ "Kenri-Signature": `v1 lost ${"A".repeat(43)}` });
  const [letter] = await sql`insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, reason, untrusted)
    values ('entitlement-events', ${Date.now()}, 'entitlement.events', ${headers}, '\\x00', 'signed with the unknown key "lost": EVENT_SIGNING_KEYS has "dev"', 'unknown_key')
    returning id`;
  return { id: letter!.id };
}
