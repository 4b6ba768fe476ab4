import { useInfiniteQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import type { Operation } from "../../api/answers.ts";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { Actor } from "../../parts/actor.tsx";
import { kinds } from "../../parts/kinds.ts";
import { mergeNewest } from "../../parts/merge.ts";
import { useIsNarrow } from "../../parts/narrow.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { OperationState } from "../../parts/operation_state.tsx";
import { Page } from "../../parts/page.tsx";
import { OperationProgress } from "../../parts/progress.tsx";
import { Ago } from "../../parts/time.tsx";
import type { System } from "../../systems.ts";

const systemOf = ({ kind }: Operation): System => kinds[kind].system;

/** Running and past bulk operations of all systems. */
export function Operations() {
  const live = useLive();
  const parts = [
    useInfiniteQuery({ ...queries.operations("entitlement"), ...live }),
    useInfiniteQuery({ ...queries.operations("notification"), ...live }),
  ];
  const rows = mergeNewest(
    parts.map(part => ({ rows: part.data?.pages.flatMap(page => page.operations) ?? [], hasMore: part.hasNextPage })),
    operation => operation.created_at,
  );
  const more = parts.filter(part => part.hasNextPage);
  return (
    <>
      <Page title="Operations" about="Bulk operations run on the servers and continue when this page is closed">
        <div className="panel min-w-0 overflow-hidden">
          {parts.map(
            ({ error, refetch }, index) =>
              error && (
                <ErrorNotice
                  key={index === 0 ? "entitlement" : "notification"}
                  what={`Operations of ${index === 0 ? "the outbox" : "notifications"} are not known now.`}
                  error={error}
                  retry={() => void refetch()}
                />
              ),
          )}
          {parts.every(part => part.isPending) && <Skeleton rows={8} />}
          {rows.length === 0 && parts.every(part => part.isSuccess) && (
            <EmptyState title="No bulk operation yet">Start one from Failures, or from a list of failed or retrying rows.</EmptyState>
          )}
          {rows.length > 0 && <Table rows={rows} />}
        </div>
        {more.length > 0 && (
          <button type="button" className="button self-center" onClick={() => void Promise.all(more.map(part => part.fetchNextPage()))}>
            Load older
          </button>
        )}
      </Page>
      <Outlet />
    </>
  );
}

function Table({ rows }: { rows: readonly Operation[] }) {
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const open = (operation: Operation) =>
    void navigate({ to: "/operations/$system/$id", params: { system: systemOf(operation), id: operation.operation_id } });
  if (isNarrow)
    return (
      <ul>
        {rows.map(one => (
          <li key={one.operation_id} className="border-b last:border-0">
            <button type="button" className="flex w-full flex-col gap-1.5 px-3 py-2.5 text-left" onClick={() => open(one)}>
              <span className="flex w-full items-center justify-between">
                <OperationState operation={one} />
                <Ago at={one.created_at} />
              </span>
              <span className="line-clamp-4">
                {one.action} {one.kind}: {one.reason}
              </span>
              <OperationProgress operation={one} />
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
          <th>What</th>
          <th className="w-full">Reason</th>
          <th>By</th>
          <th>Outcome of the rows</th>
          <th className="end">Started</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(one => (
          // The button in the first cell is the keyboard equivalent.
          <tr key={one.operation_id} className="cursor-pointer" onClick={() => open(one)}>
            <td>
              <button type="button" className="flex" onClick={() => open(one)}>
                <OperationState operation={one} />
              </button>
            </td>
            <td>
              {one.action} {one.kind}
            </td>
            <td className="max-w-0 truncate" title={one.reason}>
              {one.reason}
            </td>
            <td>
              <Actor id={one.actor} />
            </td>
            <td className="min-w-80 !py-1.5 !whitespace-normal">
              <OperationProgress operation={one} />
            </td>
            <td className="end">
              <Ago at={one.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
