import type { Broker } from "../../kernel/nats/broker.ts";
import { subjectToken } from "../../kernel/nats/subject.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";

/** The newest position that a settlement gave to each user. */
export type Newest = ReadonlyMap<string, number>;

/**
 * Tells whoever listens for a user that the feed has grown, on `<subject>.<token of the user>`. Only a hint: it waits for nothing, is
 * kept nowhere, may be lost or overtaken by a later one, and the feed is the truth.
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
      // Away, or closing: what was not told is found in the feed.
    }
    hints.inc({ outcome: "published" }, published);
    hints.inc({ outcome: "dropped" }, newest.size - published);
  };
}
