import { Icon } from "../../parts/icons.tsx";
import type { MatchTrouble } from "../../parts/match_troubles.ts";
import { toneText } from "../../parts/state_mark.tsx";

/** What needs attention, and what to do about it. Nothing is shown if all is well. */
export function Troubles({ troubles }: { troubles: readonly MatchTrouble[] }) {
  if (troubles.length === 0) return null;
  const isFailed = troubles.some(({ tone }) => tone === "failed");
  return (
    <section aria-label="Needs attention" className={`panel min-w-0 overflow-hidden ${isFailed ? "!border-failed" : "!border-retry"}`}>
      <ul>
        {troubles.map(({ kind, tone, text, advice }) => (
          <li
            key={kind + text}
            className={`grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3 border-b px-4 py-2.5 last:border-0 ${tone === "failed" ? "bg-failed-ground" : ""}`}
          >
            <Icon name={tone} className={`mt-0.5 size-4 ${toneText[tone]}`} />
            <div className="min-w-0">
              <p className={`font-semibold ${toneText[tone]}`}>{text}</p>
              <p className="max-w-[80ch] text-soft">{advice}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
