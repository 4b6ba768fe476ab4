import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import type { Filter } from "../../api/answers.ts";
import { useLive, usePauseRefresh } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { useMay } from "../../api/role.ts";
import { aboveLists } from "../../drawers.ts";
import { Bulk } from "../../parts/bulk.tsx";
import { isNarrow, tidy, without } from "../../parts/filter.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page } from "../../parts/page.tsx";
import { PauseBanner } from "../../parts/pause_banner.tsx";
import { systemsBehind } from "../../parts/paused_roles.ts";
import {
  actionOn,
  countIn,
  failedState,
  isEligible,
  orderOf,
  type Row,
  retryingState,
  type Sort,
  sortOf,
  sorts,
  tabsOf,
} from "../../parts/row_kinds.ts";
import type { Kind } from "../../systems.ts";
import { FilterBar } from "./filter_bar.tsx";
import { Rows } from "./rows.tsx";
import { SelectionBar } from "./selection_bar.tsx";
import { StateTabs } from "./state_tabs.tsx";

export interface ListPageProps {
  readonly kind: Kind;
  /** The filter and sort order of the address. */
  readonly search: Filter & { readonly sort?: Sort };
  readonly openId: string | undefined;
  readonly show: (search: Filter & { readonly sort?: Sort }) => void;
  readonly open: (id: string) => void;
}

/** The list of one row kind: tabs by state, filters from the address, bulk actions. */
export function ListPage({ kind, search, openId, show, open }: ListPageProps) {
  const { sort: chosen, ...given } = search;
  const filter = given.status && !tabsOf(kind).some(({ name }) => name === given.status) ? without(given, "status") : given;
  const sort = sortOf(kind, filter, chosen);
  const narrow = (narrowed: Filter) => show({ ...narrowed, ...(chosen ? { sort: chosen } : {}) });
  const live = useLive();
  const counted = useQuery({ ...queries.counts(kind, filter), ...live });
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...queries.list(kind, filter, sort),
    ...live,
  });
  const [isBulk, setBulk] = useState(false);
  const rows = oncePerId(data?.pages.flatMap(page => page.rows) ?? []);
  const order = orderOf(kind, filter);
  const action = actionOn(kind, filter.status);
  const selection = useSelection(kind, rows, action);
  const acted = action === "retry" ? retryingState(kind) : failedState(kind);
  const canAct = useMay(kind, action);
  const Above = aboveLists[kind.name];
  const isOffered = canAct && filter.status === acted.name && (countIn(counted.data, acted)?.count ?? 0) > 0;

  return (
    <Page
      title={kind.title}
      about={kind.about}
      actions={
        isOffered && (
          <button type="button" className="button primary" onClick={() => setBulk(true)}>
            {action === "retry" ? "Retry" : "Requeue"} all{" "}
            {isNarrow(filter) ? "that match" : action === "retry" ? "" : acted.word.toLowerCase()}
            {action === "retry" ? " now …" : " …"}
          </button>
        )
      }
    >
      <PauseBanner systems={systemsBehind[kind.name]} />
      {Above && (
        <Suspense>
          <Above open={open} />
        </Suspense>
      )}
      <StateTabs kind={kind} filter={filter} counts={counted.data} choose={status => narrow(tidy({ ...filter, status }))} />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <FilterBar kind={kind} filter={filter} change={narrow} />
        {sort && <SortBy sort={sort} choose={by => show({ ...filter, sort: by })} />}
      </div>
      {order && <p className="text-faint">{order}</p>}
      <div className="panel min-w-0 overflow-hidden">
        {error && <ErrorNotice what={`${kind.title} cannot be listed.`} error={error} retry={() => void refetch()} />}
        {isPending && <Skeleton rows={12} />}
        {data && rows.length === 0 && hasNextPage && (
          <EmptyState title={order ? "No match in the first rows" : "No match in the newest rows"}>
            Each search step checks a limited number of rows.
          </EmptyState>
        )}
        {data && rows.length === 0 && !hasNextPage && (
          <NoRows kind={kind} filter={filter} clear={() => narrow(tidy({ status: filter.status }))} />
        )}
        {rows.length > 0 && (
          <Rows {...{ kind, rows, openId, open, sort }} status={filter.status} selection={canAct ? selection : undefined} />
        )}
      </div>
      {hasNextPage && (
        <button type="button" className="button self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage
            ? "Loading …"
            : rows.length === 0
              ? "Search further"
              : order || (sort && sort !== "created")
                ? "Load more"
                : "Load older"}
        </button>
      )}
      <SelectionBar kind={kind} action={action} ids={selection.ids} failedAt={selection.failedAt} clear={selection.clear} />
      {isBulk && <Bulk kind={kind} action={action} filter={filter} close={() => setBulk(false)} />}
    </Page>
  );
}

/** The sort order of failed rows, kept in the address. */
function SortBy({ sort, choose }: { sort: Sort; choose: (sort: Sort) => void }) {
  return (
    <label className="flex items-center gap-2 text-soft">
      Sort by
      <select className="quiet-select" value={sort} onChange={event => choose(event.target.value as Sort)}>
        {Object.entries(sorts).map(([name, word]) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A row in progress may move from one page to the next while pages load. */
const oncePerId = (rows: readonly Row[]): Row[] => [...new Map(rows.map(row => [row.id, row])).values()];

export interface Selection {
  readonly ids: readonly string[];
  /** When the first of the selected rows failed. */
  readonly failedAt: string | undefined;
  readonly has: (id: string) => boolean;
  readonly toggle: (id: string) => void;
  readonly all: () => void;
  readonly clear: () => void;
  readonly eligible: number;
  readonly isEligible: (row: Row) => boolean;
}

/** Only rows that the action would change can be selected. A row that changes state is deselected. */
function useSelection(kind: Kind, rows: readonly Row[], action: "requeue" | "retry"): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const eligible = rows.filter(row => isEligible(kind, action, row)).map(row => row.id);
  const ids = eligible.filter(id => chosen.has(id));
  const failures = rows.flatMap(({ id, failedAt }) => (ids.includes(id) && failedAt ? [failedAt] : []));
  usePauseRefresh(ids.length > 0);
  return {
    ids,
    failedAt: failures.toSorted()[0],
    eligible: eligible.length,
    isEligible: row => isEligible(kind, action, row),
    has: id => chosen.has(id),
    toggle: id => setChosen(before => new Set(before.has(id) ? [...before].filter(one => one !== id) : [...before, id])),
    all: () => setChosen(new Set(ids.length === eligible.length ? [] : eligible)),
    clear: () => setChosen(new Set()),
  };
}

function NoRows({ kind, filter, clear }: { kind: Kind; filter: Filter; clear: () => void }) {
  const state = tabsOf(kind).find(({ name }) => name === filter.status);
  if (isNarrow(filter))
    return (
      <EmptyState title={`No ${kind.one} matches these filters`}>
        <button type="button" className="link" onClick={clear}>
          Clear the filters
        </button>
      </EmptyState>
    );
  return (
    <EmptyState title={state ? `No ${state.word.toLowerCase()} ${kind.many}` : `No ${kind.many} yet`}>
      {state?.tone === "failed" || state?.tone === "retry" ? "Nothing needs attention." : `New ${kind.many} appear here.`}
    </EmptyState>
  );
}
