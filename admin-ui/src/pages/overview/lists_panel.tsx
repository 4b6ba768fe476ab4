import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { count } from "../../parts/format.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { OperationState } from "../../parts/operation_state.tsx";
import { Panel } from "../../parts/page.tsx";
import { OperationProgress } from "../../parts/progress.tsx";
import { failedState, retryingState, rowsNamed } from "../../parts/row_kinds.ts";
import { toneText } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";
import { type Kind, rowKinds, systems } from "../../systems.ts";

const shown = 5;

/** The groups of each kind, failed and retrying. */
const groupLists = rowKinds.flatMap(kind => [failedState(kind), retryingState(kind)].map(state => ({ kind, state })));

/** The largest groups of failed and retrying rows of all kinds. An error of one kind does not hide the others. */
export function TopFailures() {
  const live = useLive();
  const results = useQueries({ queries: groupLists.map(({ kind, state }) => ({ ...queries.groups(kind, state.name), ...live })) });
  const parts = groupLists.map((one, index) => ({ ...one, query: results[index]! }));
  const groups = parts
    .flatMap(({ kind, state, query }) => (query.data?.groups ?? []).map(group => ({ kind, state, group })))
    .toSorted((a, b) => b.group.count - a.group.count)
    .slice(0, shown);
  return (
    <Panel
      title="Top failures"
      aside={
        <Link to="/failures" className="link">
          All failures
        </Link>
      }
    >
      {parts.map(
        ({ kind, state, query: { error, refetch } }) =>
          error &&
          state.meaning === "failed" && (
            <ErrorNotice key={kind.name} what={`Failed ${kind.many}:`} error={error} retry={() => void refetch()} />
          ),
      )}
      {parts.every(({ query }) => query.isPending) && <Skeleton rows={3} />}
      {groups.length === 0 && parts.every(({ query }) => query.isSuccess) && <EmptyState title="No failures" />}
      <ul>
        {groups.map(({ kind, state, group }) => (
          <li key={kind.name + state.name + group.fingerprint} className="border-b last:border-0">
            <Link
              to="/$kind"
              params={{ kind: kind.name }}
              search={{ status: state.name, fingerprint: group.fingerprint }}
              className="grid grid-cols-[3.25rem_minmax(0,1fr)] items-baseline gap-3 px-4 py-2 hover:bg-raised"
            >
              <span className={`mono text-right font-semibold ${toneText[state.tone]}`}>{count(group)}</span>
              <span className="min-w-0">
                <span className="block truncate" title={group.sample_error}>
                  {group.sample_error}
                </span>
                <span className="block text-faint">
                  <span className={toneText[state.tone]}>{state.word.toLowerCase()}</span> · {nameOf(kind)} · last{" "}
                  <Ago at={group.last_at} />
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const nameOf = (kind: Kind) => kind.title.toLowerCase();

/** The latest bulk operations. */
export function RecentOperations() {
  const live = useLive();
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of systems never changes
  const parts = systems.map(system => ({ system, query: useInfiniteQuery({ ...queries.operations(system), ...live }) }));
  const operations = parts
    .flatMap(({ system, query }) => (query.data?.pages[0]?.operations ?? []).map(operation => ({ system, operation })))
    .toSorted((a, b) => b.operation.created_at.localeCompare(a.operation.created_at))
    .slice(0, shown);
  return (
    <Panel
      title="Bulk operations"
      aside={
        <Link to="/operations" className="link">
          All operations
        </Link>
      }
    >
      {parts.map(
        ({ system, query: { error, refetch } }) =>
          error && <ErrorNotice key={system} what={`Operations of ${system}:`} error={error} retry={() => void refetch()} />,
      )}
      {parts.every(({ query }) => query.isPending) && <Skeleton rows={3} />}
      {operations.length === 0 && parts.every(({ query }) => query.isSuccess) && <EmptyState title="None yet" />}
      <ul>
        {operations.map(({ system, operation }) => (
          <li key={operation.operation_id} className="border-b last:border-0">
            <Link
              to="/operations/$system/$id"
              params={{ system, id: operation.operation_id }}
              className="grid items-center gap-x-4 gap-y-1.5 px-4 py-2 hover:bg-raised sm:grid-cols-[minmax(0,1fr)_minmax(10rem,14rem)]"
            >
              <span className="min-w-0">
                <span className="flex min-w-0 items-center gap-2">
                  <OperationState operation={operation} />
                  <span className="truncate">
                    {operation.action} {rowsNamed(operation.kind)}
                  </span>
                </span>
                <span className="block truncate text-faint">
                  {operation.reason} · <Ago at={operation.created_at} />
                </span>
              </span>
              <OperationProgress operation={operation} />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
