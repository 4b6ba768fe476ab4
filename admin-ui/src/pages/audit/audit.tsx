import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useLive } from "../../api/live.ts";
import { mergeNewest } from "../../parts/merge.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page } from "../../parts/page.tsx";
import { watchedSystems } from "../../systems.ts";
import { AuditFilter } from "./audit_filter.tsx";
import { AuditTable } from "./audit_table.tsx";
import { actions } from "./queries.ts";
import { type AuditRow, sinceOf } from "./view.ts";

/** Operator actions with their reasons, read only. A bulk operation is one row. */
export function Audit() {
  const view = useSearch({ from: "/audit" });
  const { subject, actor, action, operation: operation_id } = view;
  const since = useMemo(() => sinceOf(view, Date.now()), [view]);
  const live = useLive();
  const filter = { subject, actor, action, operation_id, since };
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of systems never changes
  const parts = watchedSystems.map(system => ({ system, query: useInfiniteQuery({ ...actions(system, filter), ...live }) }));
  const rows = mergeNewest(
    parts.map(({ system, query }) => ({
      rows: query.data?.pages.flatMap(page => page.actions.map((row): AuditRow => ({ ...row, system }))) ?? [],
      hasMore: query.hasNextPage,
    })),
    row => row.at,
  );
  const more = parts.filter(({ query }) => query.hasNextPage);
  const isFiltered = Object.keys(view).length > 0;
  return (
    <Page title="Audit" about="Operator actions and their reasons">
      <AuditFilter view={view} />
      <div className="panel min-w-0 overflow-hidden">
        {parts.map(
          ({ system, query: { error, refetch } }) =>
            error && (
              <ErrorNotice key={system} what={`The audit log of ${system} cannot be loaded.`} error={error} retry={() => void refetch()} />
            ),
        )}
        {parts.every(({ query }) => query.isPending) && <Skeleton rows={10} />}
        {rows.length === 0 && more.length === 0 && parts.every(({ query }) => query.isSuccess) && (
          <EmptyState title={isFiltered ? "No action matches these filters" : "No actions yet"}>
            {isFiltered ? "Remove a filter to see more." : "Operator actions are listed here with their reason."}
          </EmptyState>
        )}
        {rows.length > 0 && <AuditTable rows={rows} />}
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
  );
}
