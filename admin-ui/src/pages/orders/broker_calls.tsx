import type { OrdersAttemptsRow as BrokerCall } from "../../../../server/orders/sql.gen.ts";
import { span } from "../../parts/format.ts";
import { callWords } from "../../parts/order_words.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";

/** Each call to the broker, a send or a question, with its result and its worker. */
export function BrokerCalls({ calls }: { calls: readonly BrokerCall[] }) {
  if (calls.length === 0) return <p className="text-faint">Not yet.</p>;
  return (
    <ol className="overflow-hidden rounded border">
      {calls.map(call => (
        <li key={call.number} className="border-b px-3 py-2 last:border-0">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
            <span className="mono w-7 text-faint">#{call.number}</span>
            <StateMark state={callWords(call)} />
            <At at={call.started_at} />
            <span className="mono ml-auto text-faint">{span(call.duration_ms)}</span>
          </p>
          {(call.code || call.message) && (
            <p className="mono mt-1 pl-10 break-words text-soft">{[call.code, call.message].filter(Boolean).join(": ")}</p>
          )}
          <p className="mono mt-0.5 truncate pl-10 text-faint" title={call.worker}>
            {call.worker}, adapter {call.adapter}
          </p>
        </li>
      ))}
    </ol>
  );
}
