import type { Publishing } from "./publisher.ts";

interface Published {
  readonly row: { readonly event_id: string };
  readonly publishing: Publishing;
}

// Between two of these the breaker was closed by a probe of at least the same size: the stream stores, but not this event.
const outagesAlone = 3;
const most = 1000;

/**
 * Finds events that the stream refuses with the error of an outage although it stores everything else. Without this such an event would open the
 * breaker for ever, and nobody would see it. An outage meets all events of a claim, so only an event that meets it alone is suspected.
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
