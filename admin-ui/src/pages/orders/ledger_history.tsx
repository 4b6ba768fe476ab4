import type { OrdersHistoryRow as LedgerChange } from "../../../../server/orders/sql.gen.ts";
import { Actor } from "../../parts/actor.tsx";
import { Icon } from "../../parts/icons.tsx";
import type { Tone } from "../../parts/row_kinds.ts";
import { toneText } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";

const tones: Record<string, Tone> = { accepted: "flight", succeeded: "done", failed: "failed" };

/** Every change of the ledger entry: from, to, when, by whom and why. */
export function LedgerHistory({ history }: { history: readonly LedgerChange[] }) {
  return (
    <ol className="flex flex-col gap-3">
      {history.map(({ entry_id, at, actor, from_status, to_status, reason }) => {
        const tone = tones[to_status] ?? "pending";
        return (
          <li key={entry_id} className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3">
            <Icon name={tone} className={`mt-0.5 size-4 ${toneText[tone]}`} />
            <div className="min-w-0">
              <p className="flex flex-wrap gap-x-3">
                <span className="font-medium">{from_status === null ? to_status : `${from_status} → ${to_status}`}</span>
                <At at={at} />
                <Actor id={actor} />
              </p>
              <p className="break-words text-soft">{reason}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
