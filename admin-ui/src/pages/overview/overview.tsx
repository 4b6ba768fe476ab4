import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Count, Counts } from "../../api/answers.ts";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { count, span } from "../../parts/format.ts";
import { type Kind, notifications, outbox } from "../../parts/kinds.ts";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { useNow } from "../../parts/time.tsx";
import { FirstVisit } from "./first_visit.tsx";
import { Flow } from "./flow_panel.tsx";
import { lateAfter } from "./headline.ts";
import { Headline } from "./headline_panel.tsx";
import { Health } from "./health_panel.tsx";
import { RecentOperations, TopFailures } from "./lists_panel.tsx";

export function Overview() {
  const live = useLive();
  const events = useQuery({ ...queries.counts(outbox), ...live });
  const deliveries = useQuery({ ...queries.counts(notifications), ...live });
  const isNew = [events.data, deliveries.data].every(data => data && Object.values(data.counts).every(one => one.count === 0));
  return (
    <Page title="Overview">
      <Headline />
      {isNew && <FirstVisit />}
      <KindPanel kind={outbox} query={events} />
      <KindPanel kind={notifications} query={deliveries} />
      {!isNew && <Flow />}
      <Health />
      <div className="grid gap-3 xl:grid-cols-2">
        <TopFailures />
        <RecentOperations />
      </div>
    </Page>
  );
}

const zero: Count = { count: 0, more: false };

type CountsQuery = { data: Counts | undefined; error: unknown; refetch: () => unknown };

/** The counts of one row kind by state. */
function KindPanel({ kind, query: { data, error, refetch } }: { kind: Kind; query: CountsQuery }) {
  const now = useNow();
  const age = data?.oldest_pending_at ? now - Date.parse(data.oldest_pending_at) : undefined;
  return (
    <Panel title={kind.title} aside={<span className="text-faint">{kind.about}</span>}>
      {error !== null && <ErrorNotice what={`${kind.title} cannot be counted.`} error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && (
        <div className="-mr-px -mb-px grid grid-cols-2 md:grid-cols-[repeat(4,minmax(0,1fr))_minmax(0,1.3fr)]">
          {kind.states.map(state => {
            const value = data.counts[state.name] ?? zero;
            const isAlarm = state.tone === "failed" && value.count > 0;
            return (
              <Link
                key={state.name}
                to={`/${kind.name}`}
                search={{ status: state.name }}
                className={`group flex flex-col gap-1 border-r border-b px-4 py-3 hover:bg-raised ${isAlarm ? "bg-failed-ground" : ""}`}
              >
                <StateMark state={state} isQuiet={value.count === 0} />
                <span className={`mono !text-3xl font-medium ${isAlarm ? "text-failed" : value.count === 0 ? "text-faint" : ""}`}>
                  {count(value)}
                </span>
              </Link>
            );
          })}
          <dl className="col-span-2 grid grid-cols-2 content-center gap-x-4 gap-y-1 border-r border-b px-4 py-3 md:col-span-1">
            <dt className="text-faint">Oldest pending</dt>
            <dd className={`mono text-right ${age && age > lateAfter ? "text-retry" : ""}`}>{age === undefined ? "none" : span(age)}</dd>
            {data.unconfirmed && (
              <>
                <dt className="text-faint">Unconfirmed</dt>
                <dd className="mono text-right">{count(data.unconfirmed)}</dd>
              </>
            )}
          </dl>
        </div>
      )}
    </Panel>
  );
}
