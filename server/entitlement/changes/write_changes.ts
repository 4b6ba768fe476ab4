import { batchSpans, errorWord, type SpanResult, type Tracer } from "../../kernel/telemetry/spans.ts";
import type { PublishOnWrite, PublishParameters } from "../outbox/publish_on_write.ts";
import type { ChangeParameters, ChangeRow, OutboxClaimRow } from "../sql.gen.ts";

/** Requests as the change statement takes them. */
export type ChangeBatch = Omit<ChangeParameters, keyof PublishParameters>;

/** Runs the change statement, and hands the events that it wrote to the outbox. */
export const writeChanges =
  (change: (parameters: ChangeParameters) => Promise<ChangeRow[]>, outbox: Pick<PublishOnWrite, "reserve">, tracer?: Tracer) =>
  async (batch: ChangeBatch): Promise<ChangeRow[]> => {
    const reserved = outbox.reserve();
    const spans =
      tracer &&
      batchSpans(
        tracer,
        "entitlement.change",
        batch.traceparent.map(parent => ({ parent })),
      );
    try {
      const rows = await change({ ...batch, ...reserved.parameters });
      spans?.end({}, resultsOf(rows));
      const claimed = rows.flatMap(row => claimedEvent(row, batch) ?? []);
      reserved.publish(claimed, claimed.length < rows.filter(isEvent).length);
      return rows;
    } catch (error) {
      spans?.end({ error: errorWord(error) });
      reserved.fail(error);
      throw error;
    }
  };

/** What became of each request. */
function resultsOf(rows: readonly ChangeRow[]): (index: number) => SpanResult {
  const rowOf = new Map(rows.map(row => [row.n - 1, row]));
  return index => {
    const { claimed_id, replayed, response_code } = rowOf.get(index) ?? {};
    return { attributes: { "kenri.event_id": claimed_id ?? undefined, "kenri.replayed": replayed, "kenri.response_code": response_code } };
  };
}

const isEvent = ({ replayed, response_code }: ChangeRow) => !replayed && response_code === 200;

/** A claimed event, as the relay's own claim would return it. */
function claimedEvent({ n, claimed_id, claimed_payload }: ChangeRow, batch: ChangeBatch): OutboxClaimRow | undefined {
  if (claimed_id === null) return undefined;
  const [userId, sku] = [batch.user_id[n - 1]!, batch.stock_keeping_unit[n - 1]!];
  return {
    event_id: claimed_id,
    event_type: batch.target[n - 1] === "ACTIVE" ? "EntitlementGranted" : "EntitlementRevoked",
    aggregate_key: `${userId}:${sku}`,
    aggregate_version: (claimed_payload as { version: number }).version,
    payload: claimed_payload!,
    traceparent: batch.traceparent[n - 1]!,
    attempt_count: 0,
    publish_generation: 0,
  };
}
