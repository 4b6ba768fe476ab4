import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Filter } from "../api.ts";
import { isNarrow, tidy } from "../filter.ts";
import { type Kind, orderOf, type Row } from "../kinds.ts";
import { useHold, useLive } from "../live.ts";
import { useCan } from "../me.ts";
import { Bulk } from "../parts/bulk.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Skeleton, Trouble } from "../parts/trouble.tsx";
import * as queries from "../queries.ts";
import { FilterBar } from "./filter_bar.tsx";
import { Rows } from "./rows.tsx";
import { SelectionBar } from "./selection_bar.tsx";
import { StateTabs } from "./state_tabs.tsx";

export interface ListPageProps {
  readonly kind: Kind;
  readonly filter: Filter;
  readonly openId: string | undefined;
  readonly narrow: (filter: Filter) => void;
  readonly open: (id: string) => void;
}

/** Everything of one kind: by state, narrowed by the address, with what can be done to it. */
export function ListPage({ kind, filter, openId, narrow, open }: ListPageProps) {
  const live = useLive();
  const counted = useQuery({ ...queries.counts(kind, filter), ...live });
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...queries.list(kind, filter),
    ...live,
  });
  const canAct = useCan("OPERATOR");
  const [isBulk, setBulk] = useState(false);
  const rows = oncePerId(data?.pages.flatMap(page => page.rows) ?? []);
  const order = orderOf(kind, filter);
  const selection = useSelection(rows);
  const failed = counted.data?.counts.FAILED;

  return (
    <Page
      title={kind.title}
      about={kind.about}
      actions={
        canAct &&
        filter.status === "FAILED" &&
        failed &&
        failed.count > 0 && (
          <button type="button" className="button primary" onClick={() => setBulk(true)}>
            Requeue all {isNarrow(filter) ? "that match" : "failed"} …
          </button>
        )
      }
    >
      <StateTabs kind={kind} filter={filter} counts={counted.data} choose={status => narrow(tidy({ ...filter, status }))} />
      <FilterBar filter={filter} change={narrow} />
      {order && <p className="text-faint">{order}</p>}
      <div className="panel min-w-0 overflow-hidden">
        {error && <Trouble what={`${kind.title} cannot be listed.`} error={error} retry={() => void refetch()} />}
        {isPending && <Skeleton rows={12} />}
        {data && rows.length === 0 && hasNextPage && (
          <Empty title={order ? "None among the first" : "None among the newest"}>Only so many rows are looked at in one go.</Empty>
        )}
        {data && rows.length === 0 && !hasNextPage && (
          <Nothing kind={kind} filter={filter} clear={() => narrow(tidy({ status: filter.status }))} />
        )}
        {rows.length > 0 && <Rows kind={kind} rows={rows} openId={openId} open={open} selection={canAct ? selection : undefined} />}
      </div>
      {hasNextPage && (
        <button type="button" className="button self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? "Loading …" : rows.length === 0 ? "Look further" : order ? "Further ones" : "Older ones"}
        </button>
      )}
      <SelectionBar kind={kind} ids={selection.ids} clear={selection.clear} />
      {isBulk && <Bulk kind={kind} filter={filter} close={() => setBulk(false)} />}
    </Page>
  );
}

/** What is on its way may have moved from one page to the next. */
const oncePerId = (rows: readonly Row[]): Row[] => [...new Map(rows.map(row => [row.id, row])).values()];

export interface Selection {
  readonly ids: readonly string[];
  readonly has: (id: string) => boolean;
  readonly toggle: (id: string) => void;
  readonly all: () => void;
  readonly clear: () => void;
  readonly eligible: number;
}

/** Only what can be put back can be selected; what changed state since is no longer selected. */
function useSelection(rows: readonly Row[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const eligible = rows.filter(row => row.status === "FAILED").map(row => row.id);
  const ids = eligible.filter(id => chosen.has(id));
  useHold(ids.length > 0);
  return {
    ids,
    eligible: eligible.length,
    has: id => chosen.has(id),
    toggle: id => setChosen(before => new Set(before.has(id) ? [...before].filter(one => one !== id) : [...before, id])),
    all: () => setChosen(new Set(ids.length === eligible.length ? [] : eligible)),
    clear: () => setChosen(new Set()),
  };
}

function Nothing({ kind, filter, clear }: { kind: Kind; filter: Filter; clear: () => void }) {
  const state = kind.states.find(({ name }) => name === filter.status);
  if (isNarrow(filter))
    return (
      <Empty title={`No ${kind.one} matches these filters`}>
        <button type="button" className="link" onClick={clear}>
          Clear the filters
        </button>
      </Empty>
    );
  return (
    <Empty title={state ? `Nothing is ${state.word.toLowerCase()}` : `There is no ${kind.one} yet`}>
      {state?.tone === "failed" ? "That is how it should be." : `What is granted or revoked appears here.`}
    </Empty>
  );
}
