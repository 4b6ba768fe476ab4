import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Monitoring } from "../../../../server/gateway/monitoring/monitoring.ts";
import type { Objective } from "../../../../server/gateway/monitoring/objectives.ts";
import { useLive } from "../../api/live.ts";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Panel } from "../../parts/page.tsx";
import type { Tone } from "../../parts/row_kinds.ts";
import { StateMark, toneText } from "../../parts/state_mark.tsx";
import { useNow } from "../../parts/time.tsx";
import { unreadText } from "./alert_findings.ts";
import { budgetWord, errorText, goalText, hasBadUnits, knownFor, leftText, wordsOf, worstFirst } from "./objective_words.ts";
import { monitoring } from "./queries.ts";
import { SampleLink } from "./sample_link.tsx";

/** The objectives with their error budgets, the worst first. */
export function Objectives() {
  const { data, error, refetch } = useQuery({ ...monitoring, ...useLive() });
  return (
    <Panel title="Objectives" aside={<span className="text-faint">Error budgets over 28 days</span>}>
      {error !== null && <ErrorNotice what="Error budgets and alerts cannot be loaded." error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={6} />}
      {data && <Unread monitoring={data} />}
      {data && <Measured objectives={worstFirst(data.objectives)} />}
    </Panel>
  );
}

const Note = ({ children }: { children: ReactNode }) => <p className="border-b px-4 py-3 text-soft last:border-0">{children}</p>;

/** Why there is nothing, or nothing current. */
function Unread({ monitoring: found }: { monitoring: Monitoring }) {
  if (found.state === "off")
    return (
      <Note>
        No Prometheus is set, so error budgets and alerts are not shown. Set <code className="mono">PROMETHEUS_URL</code> of the gateway, or
        start <code className="mono">bun run dev --observe</code>.
      </Note>
    );
  return (
    <>
      {found.state !== "ok" && <Note>{unreadText[found.state](found)}. The rest of this page does not need it.</Note>}
      {found.failing_rules.length > 0 && <Note>Prometheus cannot evaluate these rules: {found.failing_rules.join(", ")}.</Note>}
    </>
  );
}

/** Those with units in a table. The others only by name: nothing can be said of them. */
function Measured({ objectives }: { objectives: readonly Objective[] }) {
  const isKnown = ({ state }: Objective) => state === "measured" || state === "soon";
  const named = (wanted: Objective["state"]) => objectives.filter(({ state }) => state === wanted).map(({ slo }) => wordsOf(slo).title);
  const [idle, silent, unknown] = [named("no_traffic"), named("no_data"), named("unknown")];
  return (
    <>
      {objectives.some(isKnown) && <Table objectives={objectives.filter(isKnown)} />}
      {idle.length + silent.length + unknown.length > 0 && (
        <p className="border-t px-4 py-2 text-faint">
          {idle.length > 0 && `No traffic: ${idle.join(", ")}. `}
          {silent.length > 0 && `No data, because no process has reported any yet: ${silent.join(", ")}. `}
          {unknown.length > 0 && `No traffic or no data: ${unknown.join(", ")}.`}
        </p>
      )}
    </>
  );
}

const Table = ({ objectives }: { objectives: readonly Objective[] }) => (
  <table className="w-full">
    <thead className="max-md:sr-only">
      <tr className="border-b text-left text-xs text-faint">
        <th scope="col" className="px-4 py-1.5 font-normal">
          Objective
        </th>
        <th scope="col" className="px-3 py-1.5 font-normal">
          Budget left
        </th>
        <th scope="col" className="px-3 py-1.5 text-right font-normal">
          Errors, 28 d
        </th>
        <th scope="col" className="px-3 py-1.5 text-right font-normal">
          Last hour
        </th>
        <th scope="col" className="px-4 py-1.5 font-normal">
          Example
        </th>
      </tr>
    </thead>
    <tbody>
      {objectives.map(one => (
        <Row key={one.slo} objective={one} />
      ))}
    </tbody>
  </table>
);

const cell = "px-3 py-1.5 whitespace-nowrap max-md:p-0";

/** On a phone a few lines: the name with its budget, the last hour, the example. */
function Row({ objective }: { objective: Objective }) {
  const now = useNow();
  const { slo, state, objective: goal, budget_remaining: left, error_28d, error_1h, since } = objective;
  const { title, good } = wordsOf(slo);
  const { tone, word } = budgetWord(objective);
  const known = knownFor(since, now);
  const isMeasured = state === "measured" && left !== null;
  return (
    <tr
      className={`border-b last:border-0 max-md:grid max-md:grid-cols-[minmax(0,1fr)_auto] max-md:gap-x-3 max-md:gap-y-1 max-md:px-4 max-md:py-2 ${tone === "failed" ? "bg-failed-ground" : ""}`}
    >
      <th scope="row" className="px-4 py-1.5 text-left font-normal max-md:p-0">
        <span className="mr-2 font-medium">{title}</span>
        <span className="text-faint max-md:hidden">
          {goalText(goal)}
          {good && `: ${good}`}
        </span>
      </th>
      <td className={`${cell} md:w-56`}>
        <span className="flex items-center gap-2">
          {isMeasured && <Bar left={left} tone={tone} />}
          {isMeasured && <span className={`mono w-14 text-right ${tone === "done" ? "" : toneText[tone]}`}>{leftText(left)}</span>}
          <StateMark state={{ tone, word }} isQuiet={tone === "pending"} />
        </span>
      </td>
      <td className={`${cell} mono text-right max-md:hidden md:w-32`}>
        {isMeasured ? errorText(error_28d) : <span className="text-faint">–</span>}
        {isMeasured && known && <span className="text-faint"> of {known}</span>}
      </td>
      <td className={`${cell} mono max-md:col-span-2 md:w-24 md:text-right`}>
        <span className={error_1h === null ? "text-faint" : error_1h > 1 - goal ? "text-failed" : ""}>{errorText(error_1h)}</span>
        <span className="text-faint md:hidden"> in the last hour</span>
      </td>
      <td className={`${cell} max-md:col-span-2 max-md:empty:hidden md:w-52 md:px-4`}>
        {hasBadUnits(objective) && <SampleLink slo={slo} />}
      </td>
    </tr>
  );
}

const paint: Record<Tone, string> = {
  pending: "bg-pending",
  flight: "bg-flight",
  done: "bg-done",
  retry: "bg-retry",
  failed: "bg-failed",
  stale: "bg-stale",
};

/** Decorative: the number and the word beside it have the same content. */
const Bar = ({ left, tone }: { left: number; tone: Tone }) => (
  <span aria-hidden="true" className="flex h-1.5 w-16 shrink-0 max-md:hidden overflow-hidden rounded-full bg-raised">
    <span className={paint[tone]} style={{ width: `${100 * Math.min(1, Math.max(0, left))}%` }} />
  </span>
);
