/** Publishes the payload of a job, and returns when the stream has stored it. */
export type Publish = (id: string, payload: unknown) => Promise<void>;

/** A job queue in PostgreSQL, which does the part of the relay. */
export interface JobQueue {
  /** Makes its tables, and so many jobs that wait. */
  fill(url: string, count: number): Promise<void>;
  /** Works until the process ends. */
  work(url: string, publish: Publish): Promise<void>;
  /** Whether jobs are left, in SQL. */
  readonly hasOpen: string;
}

/** What an event of the outbox says, so that the messages are about as long as Kenri's. */
export const payloadOf = (n: number) => ({
  user_id: `bench-${n}`,
  stock_keeping_unit: "item",
  source: "purchase",
  source_id: "p_1",
  version: 1,
  occurred_at: "2026-01-08T07:10:00.000000Z",
});
