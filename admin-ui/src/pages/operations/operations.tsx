import { useInfiniteQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import type { Operation } from "../../api/answers.ts";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { Actor } from "../../parts/actor.tsx";
import { mergeNewest } from "../../parts/merge.ts";
import { useIsNarrow } from "../../parts/narrow.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { OperationState } from "../../parts/operation_state.tsx";
import { Page } from "../../parts/page.tsx";
import { OperationProgress } from "../../parts/progress.tsx";
import { rowsNamed } from "../../parts/row_kinds.ts";
import { Ago } from "../../parts/time.tsx";
import { type System, systems } from "../../systems.ts";

interface SystemOperation {
  readonly system: System;
  readonly operation: Operation;
}

/** Running and past bulk operations of all systems. */
export function Operations() {
  const live = useLive();
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of systems never changes
  const parts = systems.map(system => ({ system, query: useInfiniteQuery({ ...queries.operations(system), ...live }) }));
  const rows = mergeNewest(
    parts.map(({ system, query }) => ({
      rows: query.data?.pages.flatMap(page => page.operations.map((operation): SystemOperation => ({ system, operation }))) ?? [],
      hasMore: query.hasNextPage,
    })),
    ({ operation }) => operation.created_at,
  );
  const more = parts.filter(({ query }) => query.hasNextPage);
  return (
    <>
      <Page title="Operations" about="Bulk operations run on the servers and continue when this page is closed">
        <div className="panel min-w-0 overflow-hidden">
          {parts.map(
            ({ system, query: { error, refetch } }) =>
              error && (
                <ErrorNotice key={system} what={`Operations of ${system} cannot be loaded.`} error={error} retry={() => void refetch()} />
              ),
          )}
          {parts.every(({ query }) => query.isPending) && <Skeleton rows={8} />}
          {rows.length === 0 && parts.every(({ query }) => query.isSuccess) && (
            <EmptyState title="No bulk operation yet">Start one from Failures, or from a list of failed or retrying rows.</EmptyState>
          )}
          {rows.length > 0 && <Table rows={rows} />}
        </div>
        {more.length > 0 && (
          <button
            type="button"
            className="button self-center"
            onClick={() => void Promise.all(more.map(({ query }) => query.fetchNextPage()))}
          >
            Load older
          </button>
        )}
      </Page>
      <Outlet />
    </>
  );
}

function Table({ rows }: { rows: readonly SystemOperation[] }) {
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const open = ({ system, operation }: SystemOperation) =>
    void navigate({ to: "/operations/$system/$id", params: { system, id: operation.operation_id } });
  if (isNarrow)
    return (
      <ul>
        {rows.map(row => (
          <li key={row.operation.operation_id} className="border-b last:border-0">
            <button type="button" className="flex w-full flex-col gap-1.5 px-3 py-2.5 text-left" onClick={() => open(row)}>
              <span className="flex w-full items-center justify-between">
                <OperationState operation={row.operation} />
                <Ago at={row.operation.created_at} />
              </span>
              <span className="line-clamp-4">
                {row.operation.action} {rowsNamed(row.operation.kind)}: {row.operation.reason}
              </span>
              <OperationProgress operation={row.operation} />
            </button>
          </li>
        ))}
      </ul>
    );
  return (
    <table className="grid-table">
      <thead>
        <tr>
          <th>State</th>
          <th>Action</th>
          <th className="w-full">Reason</th>
          <th>By</th>
          <th>Outcome of the rows</th>
          <th className="end">Started</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          // The button in the first cell is the keyboard equivalent.
          <tr key={row.operation.operation_id} className="cursor-pointer" onClick={() => open(row)}>
            <td>
              <button type="button" className="flex" onClick={() => open(row)}>
                <OperationState operation={row.operation} />
              </button>
            </td>
            <td>
              {row.operation.action} {rowsNamed(row.operation.kind)}
            </td>
            <td className="max-w-0 truncate" title={row.operation.reason}>
              {row.operation.reason}
            </td>
            <td>
              <Actor id={row.operation.actor} />
            </td>
            <td className="min-w-80 !py-1.5 !whitespace-normal">
              <OperationProgress operation={row.operation} />
            </td>
            <td className="end">
              <Ago at={row.operation.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
