import { Link } from "@tanstack/react-router";
import { type CSSProperties, Fragment } from "react";
import type { Count, Counts } from "../../api/answers.ts";
import { useCounts } from "../../api/counts.ts";
import { useUnknownCount } from "../../api/unknown_orders.ts";
import { count, span } from "../../parts/format.ts";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { PauseBanner } from "../../parts/pause_banner.tsx";
import { retryingState, stateMeaning, storedStatesOf } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { useNow } from "../../parts/time.tsx";
import { type Kind, rowKinds, watchedSystems } from "../../systems.ts";
import { Alerts } from "./alerts_panel.tsx";
import { FirstVisit } from "./first_visit.tsx";
import { Flow } from "./flow_panel.tsx";
import { lateAfter } from "./headline.ts";
import { Headline } from "./headline_panel.tsx";
import { Health } from "./health_panel.tsx";
import { RecentOperations, TopFailures } from "./lists_panel.tsx";
import { Objectives } from "./objectives_panel.tsx";
import { Pausable } from "./pausable_panel.tsx";

export function Overview() {
  const counted = useCounts();
  const isNew = counted.every(({ data }) => data && Object.values(data.counts).every(one => one.count === 0));
  return (
    <Page title="Overview">
      <Headline />
      <PauseBanner systems={watchedSystems} />
      <Alerts />
      {isNew && <FirstVisit />}
      {rowKinds.map((kind, index) => (
        <KindPanel key={kind.name} kind={kind} query={counted[index]!} />
      ))}
      <Objectives />
      {!isNew && <Flow />}
      <Health />
      <Pausable />
      <div className="grid gap-3 xl:grid-cols-2">
        <TopFailures />
        <RecentOperations />
      </div>
    </Page>
  );
}

/** Orders whose outcome is unknown; they are in several states. */
function UnknownCount() {
  const { data } = useUnknownCount();
  return (
    <>
      <dt className="text-faint">Unknown outcome</dt>
      <dd className={`mono text-right ${data?.count ? "font-semibold text-stale" : ""}`}>{data ? count(data) : "·"}</dd>
    </>
  );
}

const zero: Count = { count: 0, more: false };

/** A subset is counted beside the states, under its name in lower case. */
const subsetIn = (counts: Counts, name: string): Count =>
  (counts as unknown as Readonly<Record<string, Count | undefined>>)[name.toLowerCase()] ?? zero;

type CountsQuery = { data: Counts | undefined; error: unknown; refetch: () => unknown };

/** The counts of one row kind by state. */
function KindPanel({ kind, query: { data, error, refetch } }: { kind: Kind; query: CountsQuery }) {
  const now = useNow();
  const states = storedStatesOf(kind);
  const age = data?.oldest_pending_at ? now - Date.parse(data.oldest_pending_at) : undefined;
  return (
    <Panel title={kind.title} aside={<span className="text-faint">{kind.about}</span>}>
      {error !== null && <ErrorNotice what={`${kind.title} cannot be counted.`} error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && (
        <div
          className="-mr-px -mb-px grid grid-cols-2 md:grid-cols-[repeat(var(--states),minmax(0,1fr))_minmax(0,1.3fr)]"
          style={{ "--states": states.length } as CSSProperties}
        >
          {states.map(state => {
            const value = data.counts[state.name] ?? zero;
            const isAlarm = state.tone === "failed" && value.count > 0;
            return (
              <Link
                key={state.name}
                to="/$kind"
                params={{ kind: kind.name }}
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
          <dl className="col-span-2 grid grid-cols-[minmax(0,1fr)_auto] content-center gap-x-4 gap-y-1 border-r border-b px-4 py-3 md:col-span-1">
            <dt className="text-faint">
              Oldest {retryingState(kind).isDerived ? stateMeaning(kind, "waiting").word.toLowerCase() : "waiting"}
            </dt>
            <dd className={`mono text-right ${age && age > lateAfter ? "text-retry" : ""}`}>{age === undefined ? "none" : span(age)}</dd>
            {kind.name === "orders" && <UnknownCount />}
            {kind.subsets?.map(({ name, word }) => (
              <Fragment key={name}>
                <dt className="text-faint">{word}</dt>
                <dd className="mono text-right">{count(subsetIn(data, name))}</dd>
              </Fragment>
            ))}
          </dl>
        </div>
      )}
    </Panel>
  );
}
