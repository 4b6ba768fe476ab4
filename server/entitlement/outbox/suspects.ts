import type { Publishing } from "../../kernel/nats/publisher.ts";

interface Published {
  readonly row: { readonly event_id: string };
  readonly publishing: Publishing;
}

// Between two of these a probe of at least the same size closed the breaker: the stream stores messages, but not this event.
const outagesAlone = 3;
const most = 1000;

/**
 * Finds events that the stream refuses with the error of an outage although it stores all others. Otherwise such an event would open the breaker again
 * and again, and operators could not see which one it is. An outage affects all events of a claim, so an event is suspected only if it fails alone.
 */
export function createSuspects() {
  const outages = new Map<string, number>();
  return {
    /** The event of this claim that is at fault itself, if there is one. */
    atFault(settled: readonly Published[]): string | undefined {
      for (const { row, publishing } of settled) if (publishing.outcome === "published") outages.delete(row.event_id);
      const refused = settled.filter(({ publishing }) => publishing.outcome === "outage");
      if (refused.length !== 1) return undefined;
      const { event_id } = refused[0]!.row;
      const count = (outages.get(event_id) ?? 0) + 1;
      if (outages.size >= most) outages.clear();
      outages.set(event_id, count);
      return count >= outagesAlone ? event_id : undefined;
    },
  };
}
