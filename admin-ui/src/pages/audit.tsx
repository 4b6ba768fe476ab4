import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Action } from "../api.ts";
import { useLive } from "../live.ts";
import { mergeNewest } from "../merge.ts";
import { Actor } from "../parts/actor.tsx";
import { Icon } from "../parts/icons.tsx";
import { Id } from "../parts/id.tsx";
import { useIsNarrow } from "../parts/narrow.ts";
import { Page } from "../parts/page.tsx";
import { Ago } from "../parts/time.tsx";
import { Empty, Skeleton, Trouble } from "../parts/trouble.tsx";
import * as queries from "../queries.ts";

/** Who did what to what, and why. Written with the change itself; nobody can edit it here. */
export function Audit() {
  const { subject } = useSearch({ from: "/audit" });
  const navigate = useNavigate();
  const live = useLive();
  const parts = [
    useInfiniteQuery({ ...queries.actions("entitlement", subject), ...live }),
    useInfiniteQuery({ ...queries.actions("notification", subject), ...live }),
  ];
  const rows = mergeNewest(
    parts.map(part => ({ rows: part.data?.pages.flatMap(page => page.rows) ?? [], hasMore: part.hasNextPage })),
    action => action.at,
  );
  const more = parts.filter(part => part.hasNextPage);
  return (
    <Page title="Audit" about="Who did what, to what, and why">
      {subject && (
        <button
          type="button"
          className="inline-flex min-h-7 max-w-full items-center gap-1.5 self-start rounded-full border bg-panel pr-2 pl-3"
          onClick={() => void navigate({ to: "/audit", search: {} })}
        >
          <span className="sr-only">Remove filter</span>
          <span className="text-faint">subject</span>
          <span className="mono truncate">{subject}</span>
          <Icon name="close" className="size-3" />
        </button>
      )}
      <div className="panel min-w-0 overflow-hidden">
        {parts.map(
          ({ error, refetch }, index) =>
            error && (
              <Trouble
                key={index === 0 ? "entitlement" : "notification"}
                what={`The audit of ${index === 0 ? "entitlement" : "notification"} cannot be read now.`}
                error={error}
                retry={() => void refetch()}
              />
            ),
        )}
        {parts.every(part => part.isPending) && <Skeleton rows={10} />}
        {rows.length === 0 && parts.every(part => part.isSuccess) && (
          <Empty title={subject ? "Nobody did anything to this one" : "Nobody has done anything yet"} />
        )}
        {rows.length > 0 && <Table rows={rows} />}
      </div>
      {more.length > 0 && (
        <button type="button" className="button self-center" onClick={() => void Promise.all(more.map(part => part.fetchNextPage()))}>
          Older ones
        </button>
      )}
    </Page>
  );
}

/** An operation has a page of its own, which the journey of its id leads to. */
const Way = ({ row: { subject } }: { row: Action }) => (
  <Link to="/journey/$id" params={{ id: subject }} className="link" aria-label={`Journey of ${subject}`}>
    Journey
  </Link>
);

function Table({ rows }: { rows: readonly Action[] }) {
  if (useIsNarrow())
    return (
      <ul>
        {rows.map(row => (
          <li key={row.action_id} className="flex flex-col gap-0.5 border-b px-3 py-2.5 last:border-0">
            <span className="flex justify-between gap-2">
              <span className="line-clamp-2 font-medium">{row.action}</span>
              <Ago at={row.at} />
            </span>
            <span className="line-clamp-4">{row.reason}</span>
            <span className="flex flex-wrap justify-between gap-x-3 text-faint">
              <Actor id={row.actor} />
              <Way row={row} />
            </span>
          </li>
        ))}
      </ul>
    );
  return (
    <table className="grid-table">
      <thead>
        <tr>
          <th>When</th>
          <th>Who</th>
          <th>Did</th>
          <th>To</th>
          <th className="w-full">Why</th>
          <th>Way</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.action_id}>
            <td>
              <Ago at={row.at} />
            </td>
            <td>
              <Actor id={row.actor} />
            </td>
            <td>{row.action}</td>
            <td>
              <Id id={row.subject} />
            </td>
            <td className="max-w-0 truncate" title={row.reason}>
              {row.reason}
            </td>
            <td>
              <Way row={row} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
