import { Verbatim } from "../../parts/facts.tsx";
import { Panel } from "../../parts/page.tsx";

const line = `curl -sS -X POST "$ENTITLEMENT_URL/v1/entitlements/grants" \\
  -H "Authorization: Bearer $KENRI_API_KEY" -H "Idempotency-Key: order-1" -H "Content-Type: application/json" \\
  -d '{"user_id": "alice", "stock_keeping_unit": "sword", "reason": "purchase", "purchase_id": "order-1"}'`;

export function FirstVisit() {
  return (
    <Panel title="No events yet">
      <div className="flex flex-col gap-2 px-4 py-3">
        <p className="max-w-[80ch] text-soft">
          A grant creates an event in the outbox, and the event creates a notification. Run this command for the first grant, then paste{" "}
          <code className="mono">order-1</code> into the search above.
        </p>
        <Verbatim text={line} />
      </div>
    </Panel>
  );
}
