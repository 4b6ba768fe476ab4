import { useQuery } from "@tanstack/react-query";
import { useLive } from "../../api/live.ts";
import { Panel } from "../../parts/page.tsx";
import type { Tone } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";
import { type AlertGroup, groupsOf } from "./alert_findings.ts";
import { monitoring } from "./queries.ts";

/** The alerts that fire or will fire. Nothing without any: the headline and the objectives say how it is. */
export function Alerts() {
  const { data } = useQuery({ ...monitoring, ...useLive() });
  if (!data || data.alerts.length === 0) return null;
  const firing = data.alerts.filter(({ state }) => state === "firing").length;
  const waiting = data.alerts.length - firing;
  return (
    <Panel
      title="Alerts"
      aside={
        <span className="text-faint">
          {firing} {firing === 1 ? "fires" : "fire"}
          {waiting > 0 && `, ${waiting} will if it lasts`}
        </span>
      }
    >
      <ul>
        {groupsOf(data.alerts).map(group => (
          <AlertRow key={`${group.name} ${group.state} ${group.severity}`} alert={group} />
        ))}
      </ul>
      {data.alerts_left_out > 0 && <p className="px-4 py-2 text-soft">{data.alerts_left_out} more are in Prometheus.</p>}
    </Panel>
  );
}

/** `page` wakes somebody, `ticket` is for working hours. */
function markOf({ state, severity }: AlertGroup): { tone: Tone; word: string } {
  if (state === "pending") return { tone: "pending", word: `${severity}, pending` };
  return { tone: severity === "page" ? "failed" : "retry", word: severity || "fires" };
}

function AlertRow({ alert }: { alert: AlertGroup }) {
  const { name, state, severity, since, summaries, runbook, page } = alert;
  return (
    <li
      className={`grid items-baseline gap-x-4 gap-y-0.5 border-b px-4 py-2 last:border-0 md:grid-cols-[8.5rem_minmax(0,1fr)_auto] ${state === "firing" && severity === "page" ? "bg-failed-ground" : ""}`}
    >
      <StateMark state={markOf(alert)} />
      <span className="min-w-0">
        {summaries.map(summary => (
          <span key={summary} className="block break-words">
            {summary}
          </span>
        ))}
        <span className="block text-faint">
          {name} · since <Ago at={since} />
        </span>
      </span>
      <span className="flex flex-wrap gap-x-4">
        {page && page !== "/admin/" && (
          <a href={page} className="link">
            Show {page.replace("/admin/", "")}
          </a>
        )}
        {runbook?.url && (
          <a href={runbook.url} target="_blank" rel="noreferrer" className="link">
            Runbook
          </a>
        )}
        {runbook && !runbook.url && <span className="text-faint">Runbook: “{runbook.section}”</span>}
      </span>
    </li>
  );
}
