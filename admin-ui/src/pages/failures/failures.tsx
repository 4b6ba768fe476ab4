import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Count, Filter, Groups } from "../../api/answers.ts";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { useMay } from "../../api/role.ts";
import { Bulk } from "../../parts/bulk.tsx";
import { count, shortId, sumOf } from "../../parts/format.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { failedState, retryingState, type State } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";
import { type Kind, rowKinds } from "../../systems.ts";
import { FailureTabs } from "./failure_tabs.tsx";

interface Act {
  readonly kind: Kind;
  readonly action: "requeue" | "retry";
  readonly filter: Filter;
}

/** One line per cause, so that rows with the same error are handled together. */
export function Failures() {
  const [act, setAct] = useState<Act>();
  return (
    <Page title="Failures" about="Grouped by cause. Errors that differ only in ids, numbers and times form one group">
      <FailureTabs />
      {rowKinds.map(kind => (
        <Causes key={kind.name} kind={kind} act={setAct} />
      ))}
      {act && <Bulk {...act} close={() => setAct(undefined)} />}
    </Page>
  );
}

const countOf = (data: Groups | undefined): Count => {
  const { count: many, more } = sumOf(data?.groups ?? []);
  return { count: many, more: more || (data?.more ?? false) };
};

/** Failed rows need an operator. Retrying rows may still succeed. */
function Causes({ kind, act }: { kind: Kind; act: (act: Act) => void }) {
  const live = useLive();
  const states = { failed: failedState(kind), retrying: retryingState(kind) };
  const failed = useQuery({ ...queries.groups(kind, states.failed.name), ...live });
  const waiting = useQuery({ ...queries.groups(kind, states.retrying.name), ...live });
  const sums = [
    { ...states.failed, sum: countOf(failed.data) },
    { ...states.retrying, sum: countOf(waiting.data) },
  ];
  return (
    <Panel
      title={kind.title}
      aside={
        <span className="flex gap-4">
          {sums.map(
            ({ name, word, sum }) =>
              sum.count > 0 && (
                <Link key={name} to="/$kind" params={{ kind: kind.name }} search={{ status: name }} className="link">
                  {count(sum)} {word.toLowerCase()}
                </Link>
              ),
          )}
        </span>
      }
    >
      {failed.error && (
        <ErrorNotice what={`Failed ${kind.many} cannot be loaded.`} error={failed.error} retry={() => void failed.refetch()} />
      )}
      {failed.isPending && <Skeleton rows={3} />}
      {failed.data?.groups.length === 0 && (
        <EmptyState title={`No ${kind.one} failed`}>Permanent failures are listed here, grouped by cause.</EmptyState>
      )}
      <GroupList kind={kind} state={states.failed} data={failed.data} act={act} />
      {waiting.error && !failed.error && (
        <ErrorNotice what={`Retrying ${kind.many} cannot be loaded.`} error={waiting.error} retry={() => void waiting.refetch()} />
      )}
      {waiting.data && waiting.data.groups.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-2 border-t bg-ground px-3 py-2 md:px-4">
          <StateMark state={states.retrying} />
          <span className="text-faint">failed, waiting for the next attempt</span>
        </p>
      )}
      <GroupList kind={kind} state={states.retrying} data={waiting.data} act={act} />
    </Panel>
  );
}

const actions = {
  requeue: { tone: "text-failed", label: "Requeue …" },
  retry: { tone: "text-retry", label: "Retry now …" },
} as const;

interface GroupListProps {
  readonly kind: Kind;
  readonly state: State;
  readonly data: Groups | undefined;
  readonly act: (act: Act) => void;
}

function GroupList({ kind, state: { name: status, word, meaning }, data, act }: GroupListProps) {
  const action = meaning === "retrying" ? "retry" : "requeue";
  const canAct = useMay(kind, action);
  const { tone, label } = actions[action];
  if (!data || data.groups.length === 0) return null;
  return (
    <>
      <ul aria-label={word}>
        {data.groups.map(group => (
          <li
            key={group.fingerprint}
            className="grid grid-cols-[minmax(2.75rem,auto)_minmax(0,1fr)] items-start gap-x-3 gap-y-2 border-b px-3 py-3 last:border-0 md:px-4 md:grid-cols-[5rem_minmax(0,1fr)_auto]"
          >
            <span className={`mono !text-xl text-right font-semibold ${tone}`}>{count(group)}</span>
            <div className="min-w-0">
              <p className="mono line-clamp-3 break-words" title={group.sample_error}>
                {group.sample_error}
              </p>
              <p className="mt-1 flex flex-wrap gap-x-4 text-faint">
                <span>
                  first failed <Ago at={group.first_at} />
                </span>
                <span>
                  last failed <Ago at={group.last_at} />
                </span>
                {group.next_at && (
                  <span>
                    next attempt <Ago at={group.next_at} />
                  </span>
                )}
                <span>
                  example{" "}
                  <Link to="/$kind/$id" params={{ kind: kind.name, id: group.sample_id }} className="mono link" title={group.sample_id}>
                    {shortId(group.sample_id)}
                  </Link>
                </span>
              </p>
            </div>
            <div className="col-start-2 flex gap-2 md:col-start-3">
              <Link to="/$kind" params={{ kind: kind.name }} search={{ status, fingerprint: group.fingerprint }} className="button">
                Show
              </Link>
              {canAct && (
                <button
                  type="button"
                  className="button primary"
                  onClick={() => act({ kind, action, filter: { status, fingerprint: group.fingerprint } })}
                >
                  {label}
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {data.more && <p className="border-t px-4 py-3 text-faint">Not all causes are shown.</p>}
    </>
  );
}
