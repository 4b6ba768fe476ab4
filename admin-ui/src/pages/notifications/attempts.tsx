import type { Attempt } from "../../api/answers.ts";
import { span } from "../../parts/format.ts";
import type { Tone } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";

const states: Record<Attempt["outcome"], { tone: Tone; word: string }> = {
  sent: { tone: "done", word: "Sent" },
  retry: { tone: "retry", word: "Failed, retried later" },
  dead: { tone: "failed", word: "Failed, last attempt" },
};

/** Each attempt with its error and its worker. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p className="text-faint">Not yet.</p>;
  return (
    <ol className="overflow-hidden rounded border">
      {attempts.map(({ number, outcome, started_at, duration_ms, worker, error }) => (
        <li key={number} className="border-b px-3 py-2 last:border-0">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
            <span className="mono w-7 text-faint">#{number}</span>
            <StateMark state={states[outcome]} />
            <At at={started_at} />
            <span className="mono ml-auto text-faint">{span(duration_ms)}</span>
          </p>
          {error && <p className="mono mt-1 pl-10 break-words text-soft">{error}</p>}
          <p className="mono mt-0.5 truncate pl-10 text-faint" title={worker}>
            {worker}
          </p>
        </li>
      ))}
    </ol>
  );
}
