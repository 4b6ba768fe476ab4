import type { Signatures } from "../../kernel/nats/signatures.ts";
import { isRefused } from "../../kernel/postgres/database.ts";
import type { NotificationSql, RawDeadLettersFindRow } from "../sql.gen.ts";
import { readMessage, readTrusted } from "./incoming.ts";
import type { SourceDeclaration } from "./source.ts";

export type Letter = RawDeadLettersFindRow;

/** `refused`: it can be read, and contradicts what was consumed before. */
export type Reprocessed =
  | { readonly outcome: "taken_in" }
  | { readonly outcome: "unreadable" | "untrusted" | "refused"; readonly reason: string };

export interface Reprocessing {
  readonly sql: NotificationSql;
  readonly channel: string;
  readonly signatures: Signatures;
}

/**
 * Reads a raw dead letter again, after a fix, by all the rules. An untrusted one is checked with today's keys. It is consumed as any other event, so
 * a second time changes nothing.
 */
export async function reprocessLetter<Event>(
  { decode, acceptNow }: SourceDeclaration<Event>,
  letter: Letter,
  { sql, channel, signatures }: Reprocessing,
): Promise<Reprocessed> {
  const { subject, data, received_at } = letter;
  const message = { subject, data, headers: letter.headers as Record<string, string>, arrivedAt: Date.parse(received_at) };
  // A message that was trusted on arrival stays trusted: its key may have been replaced since, and the outbox counts it as delivered.
  const read = letter.untrusted === null ? readTrusted(message, decode) : readMessage(message, decode, signatures);
  if (read.kind === "probe") return { outcome: "unreadable", reason: "it is a probe of the stream and holds no event" };
  if (read.kind === "refused") return { outcome: read.untrusted === null ? "unreadable" : "untrusted", reason: read.reason };
  try {
    const reason = await acceptNow({ sql, channel }, { event: read.event, streamSeq: letter.stream_seq });
    return reason === undefined ? { outcome: "taken_in" } : { outcome: "refused", reason };
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { outcome: "unreadable", reason: `cannot be stored: ${(error as Error).message}` };
  }
}
