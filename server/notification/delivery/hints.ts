import type { Broker } from "../../kernel/nats/broker.ts";
import { subjectToken } from "../../kernel/nats/subject.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";

/** The newest position that a statement gave to each user. */
export type Newest = ReadonlyMap<string, number>;

export function newestOf(settled: readonly { readonly user_id: string; readonly position: number | null }[]): Newest {
  const newest = new Map<string, number>();
  for (const { user_id, position } of settled) if (position !== null) newest.set(user_id, Math.max(position, newest.get(user_id) ?? 0));
  return newest;
}

/**
 * Publishes that the feed of a user has grown, on `<subject>.<token of the user>`. Only a hint: it is not stored or acknowledged, and may be lost or
 * overtaken by a later one. The feed is the truth.
 */
export function inboxHints(broker: Broker, subject: string, metrics: Metrics) {
  const hints = metrics.counter("inbox_hints_total", "Hints that a user's feed has grown; dropped ones had no broker.", ["outcome"]);
  return function hint(newest: Newest): void {
    let published = 0;
    try {
      for (const [userId, position] of newest) {
        broker.connection().publish(`${subject}.${subjectToken(userId)}`, JSON.stringify({ position }));
        published++;
      }
    } catch {
      // The broker is away or closing. The feed has the notifications.
    }
    hints.inc({ outcome: "published" }, published);
    hints.inc({ outcome: "dropped" }, newest.size - published);
  };
}
