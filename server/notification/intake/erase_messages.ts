import { JetStreamApiError, type StreamAPI } from "@nats-io/jetstream";
import type { Broker } from "../../kernel/nats/broker.ts";
import { consumerBacklog, manager } from "../../kernel/nats/streams.ts";
import type { OpenErasure } from "../../kernel/operator/erasures.ts";
import type { NotificationSql } from "../sql.gen.ts";
import type { Source } from "./source.ts";

export interface EraseMessagesOptions {
  readonly broker: Broker;
  readonly sources: readonly Source[];
  /** Notes in the erasure what it waits for, and how far it is. */
  readonly note: NotificationSql["erasures"]["note"];
}

/** Up to which sequence each stream was searched, and whether all were since the last row of the user was masked. */
interface Progress {
  readonly streams?: Readonly<Record<string, number>> | null;
  readonly searched?: boolean;
}

// Messages that are read at once. A page takes some milliseconds.
const page = 100;
// How far the search is noted: after so many messages.
const noteEvery = 5000;
const noMessage = 10037;
const streamNotFound = 10059;
const isApiError = (error: unknown, code: number) => error instanceof JetStreamApiError && error.code === code;

/**
 * Deletes a user's messages from the streams, and their bytes from the disk. Messages have no index by user, and an event that was published again has
 * several, so the whole stream is read, from where the last run stopped. Only messages that the consumer has acknowledged are deleted: while it is behind,
 * the erasure waits. Returns whether all streams were searched to the end.
 */
export function eraseMessages({ broker, sources, note }: EraseMessagesOptions) {
  /** Searches a stream up to its present end. Returns what it waits for, if anything. */
  async function search(source: Source, userId: string, from: number, noted: (seq: number) => Promise<unknown>, stopping: AbortSignal) {
    const { stream, durable } = source.consumer;
    const { streams } = await manager(broker.connection());
    const info = await streams.info(stream).catch(error => {
      if (isApiError(error, streamNotFound)) return undefined;
      throw error;
    });
    if (!info || info.state.messages === 0) return undefined;
    const backlog = await consumerBacklog(broker.connection(), stream, durable);
    const last = info.state.last_seq;
    const end = backlog?.open === 0 ? last : Math.min(last, backlog?.acknowledged ?? 0);
    const start = from > last ? 0 : from; // beyond the end: the stream was made anew
    for (let seq = Math.max(start + 1, info.state.first_seq); seq <= end && !stopping.aborted; seq += page) {
      const until = Math.min(seq + page - 1, end);
      await erasePage(streams, source, userId, seq, until);
      if (until === end || until % noteEvery < page) await noted(until);
    }
    if (stopping.aborted) return "the janitor, which is stopping";
    return end < last ? `the consumer of ${stream}, which has messages left` : undefined;
  }

  return async function prepare({ pseudonym, user_id, progress }: OpenErasure, stopping: AbortSignal): Promise<boolean> {
    const before = progress as Progress;
    if (before.searched) return true;
    let searched: Record<string, number> = { ...before.streams };
    const waits: string[] = [];
    for (const source of sources) {
      const { stream } = source.consumer;
      const noted = (seq: number) => {
        searched = { ...searched, [stream]: seq };
        return note({ pseudonym, waiting_for: waits, progress: { streams: searched } });
      };
      const wait = broker.connected() ? await search(source, user_id, searched[stream] ?? 0, noted, stopping) : "NATS, which is away";
      if (wait !== undefined) waits.push(wait);
    }
    await note({ pseudonym, waiting_for: waits, progress: { streams: searched, searched: waits.length === 0 } });
    return waits.length === 0;
  };
}

async function erasePage(streams: StreamAPI, source: Source, userId: string, from: number, until: number): Promise<void> {
  const { stream } = source.consumer;
  const absent = (error: unknown) => {
    if (isApiError(error, noMessage)) return null;
    throw error;
  };
  await Promise.all(
    Array.from({ length: until - from + 1 }, async (_, n) => {
      const message = await streams.getMessage(stream, { seq: from + n }).catch(absent);
      if (message && concerns(source, message.data, userId)) await streams.deleteMessage(stream, message.seq).catch(absent);
    }),
  );
}

/** As names_user does in the database: a long id may stand anywhere in the bytes, a shorter one is a whole word. */
export function namesUser(data: Uint8Array, userId: string): boolean {
  if (Buffer.byteLength(userId) > 31) return Buffer.from(data).includes(userId);
  const id = RegExp.escape(Buffer.from(userId).toString("latin1"));
  const bytes = Buffer.from(data).toString("latin1");
  return new RegExp(`(?<![A-Za-z0-9_@.+:\\-\\x80-\\xff])${id}(?![A-Za-z0-9_@+\\-\\x80-\\xff]|[.][A-Za-z0-9_])`).test(bytes);
}

/** A message that cannot be read concerns the user if it has the id. */
function concerns(source: Source, data: Uint8Array, userId: string): boolean {
  try {
    return source.usersOf(data).includes(userId);
  } catch {
    return namesUser(data, userId);
  }
}
