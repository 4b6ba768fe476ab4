import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Count, Filter, Groups } from "../../api/answers.ts";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { useCan } from "../../api/role.ts";
import { Bulk } from "../../parts/bulk.tsx";
import { count, shortId } from "../../parts/format.ts";
import { type Kind, notifications, outbox, retrying } from "../../parts/kinds.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";
import { FailureTabs } from "./failure_tabs.tsx";

type State = "FAILED" | "RETRYING";
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
      <Causes kind={notifications} act={setAct} />
      <Causes kind={outbox} act={setAct} />
      {act && <Bulk {...act} close={() => setAct(undefined)} />}
    </Page>
  );
}

const sumOf = (data: Groups | undefined): Count => ({
  count: data?.groups.reduce((sum, group) => sum + group.count, 0) ?? 0,
  more: (data?.more || data?.groups.some(group => group.more)) ?? false,
});

/** Failed rows need an operator. Retrying rows may still succeed. */
function Causes({ kind, act }: { kind: Kind; act: (act: Act) => void }) {
  const live = useLive();
  const failed = useQuery({ ...queries.groups(kind, "FAILED"), ...live });
  const waiting = useQuery({ ...queries.groups(kind, "RETRYING"), ...live });
  const sums = [
    { status: "FAILED", word: "failed", sum: sumOf(failed.data) },
    { status: "RETRYING", word: "retrying", sum: sumOf(waiting.data) },
  ] as const;
  return (
    <Panel
      title={kind.title}
      aside={
        <span className="flex gap-4">
          {sums.map(
            ({ status, word, sum }) =>
              sum.count > 0 && (
                <Link key={status} to={`/${kind.name}`} search={{ status }} className="link">
                  {count(sum)} {word}
                </Link>
              ),
          )}
        </span>
      }
    >
      {failed.error && (
        <ErrorNotice
          what={`Failures of ${kind.title.toLowerCase()} cannot be loaded.`}
          error={failed.error}
          retry={() => void failed.refetch()}
        />
      )}
      {failed.isPending && <Skeleton rows={3} />}
      {failed.data?.groups.length === 0 && (
        <EmptyState title={`No ${kind.one} failed`}>Permanent failures are listed here, grouped by cause.</EmptyState>
      )}
      <GroupList kind={kind} status="FAILED" data={failed.data} act={act} />
      {waiting.error && !failed.error && (
        <ErrorNotice
          what={`Retrying ${kind.title.toLowerCase()} cannot be loaded.`}
          error={waiting.error}
          retry={() => void waiting.refetch()}
        />
      )}
      {waiting.data && waiting.data.groups.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-2 border-t bg-ground px-3 py-2 md:px-4">
          <StateMark state={retrying} />
          <span className="text-faint">failed, waiting for the next attempt</span>
        </p>
      )}
      <GroupList kind={kind} status="RETRYING" data={waiting.data} act={act} />
    </Panel>
  );
}

const looks = {
  FAILED: { name: "Failed", tone: "text-failed", action: "requeue", label: "Requeue …" },
  RETRYING: { name: "Retrying", tone: "text-retry", action: "retry", label: "Retry now …" },
} as const;

interface GroupListProps {
  readonly kind: Kind;
  readonly status: State;
  readonly data: Groups | undefined;
  readonly act: (act: Act) => void;
}

function GroupList({ kind, status, data, act }: GroupListProps) {
  const canAct = useCan("OPERATOR");
  const { name, tone, action, label } = looks[status];
  if (!data || data.groups.length === 0) return null;
  return (
    <>
      <ul aria-label={name}>
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
                  <Link to={`/${kind.name}/$id`} params={{ id: group.sample_id }} className="mono link" title={group.sample_id}>
                    {shortId(group.sample_id)}
                  </Link>
                </span>
              </p>
            </div>
            <div className="col-start-2 flex gap-2 md:col-start-3">
              <Link to={`/${kind.name}`} search={{ status, fingerprint: group.fingerprint }} className="button">
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
