import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useLive } from "../../api/live.ts";
import { span } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Panel } from "../../parts/page.tsx";
import { toneText } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";
import { type HistoryEntry, history } from "./queries.ts";

/** Every change of the user's entitlements, from the audit log, newest first. */
export function History({ user }: { user: string }) {
  const query = useInfiniteQuery({ ...history(user), ...useLive() });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const rows = data?.pages.flatMap(page => page.history) ?? [];
  return (
    <Panel title="History, newest first">
      {error && <ErrorNotice what="The history cannot be shown." error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && rows.length === 0 && (
        <EmptyState title="No history">Every grant and revoke is listed here until the audit retention ends.</EmptyState>
      )}
      {rows.length > 0 && (
        <ol className="px-4 py-4 md:px-6">
          {rows.map((row, index) => (
            <Line key={row.event_id} row={row} user={user} isLast={index === rows.length - 1 && !hasNextPage} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <div className="flex justify-center border-t p-3">
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading …" : "Load older"}
          </button>
        </div>
      )}
    </Panel>
  );
}

const kinds = {
  ACTIVE: { word: "Granted", tone: "done", before: "revoked" },
  REVOKED: { word: "Revoked", tone: "pending", before: "active" },
} as const;

function Line({ row, user, isLast }: { row: HistoryEntry; user: string; isLast: boolean }) {
  const { word, tone, before } = kinds[row.status];
  const held = row.previous_at ? Date.parse(row.at) - Date.parse(row.previous_at) : undefined;
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 md:grid-cols-[13rem_1.5rem_minmax(0,1fr)]">
      <span className="hidden pt-px text-right text-soft md:block">
        <At at={row.at} />
      </span>
      <span className="relative flex justify-center">
        {!isLast && <span className="absolute top-6 -bottom-px w-px bg-faint/40" />}
        <span className={`mt-0.5 ${toneText[tone]}`}>
          <Icon name={row.status === "ACTIVE" ? "done" : "failed"} className="size-[1.125rem]" />
        </span>
      </span>
      <div className={`min-w-0 ${isLast ? "" : "pb-4"}`}>
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className={`font-medium ${toneText[tone]}`}>{word}</span>
          <span className="mono min-w-0 break-all">{row.stock_keeping_unit}</span>
          <span className="text-faint">
            version <span className="mono">{row.version}</span>
            {held !== undefined && `, was ${before} for ${span(held)}`}
          </span>
        </p>
        <p className="text-soft md:hidden">
          <At at={row.at} />
        </p>
        <p className="flex flex-wrap gap-x-3 text-soft">
          <span className="min-w-0 break-words">
            {row.reason}, <span className="mono break-all">{row.purchase_id}</span>
          </span>
          <span className="mono break-all text-faint">by {row.client_id}</span>
        </p>
        {row.actions.map(action => (
          <p key={action.action_id} className="flex flex-wrap gap-x-3">
            <span className="min-w-0 break-words">“{action.reason}”</span>
            <span className="text-faint">{action.action}</span>
          </p>
        ))}
        <p className="flex flex-wrap gap-x-4">
          <Link
            to="/journey/$id"
            params={{ id: row.event_id }}
            className="link"
            aria-label={`Journey of version ${row.version} of ${row.stock_keeping_unit}`}
          >
            Journey
          </Link>
          <Link
            to="/entitlements"
            search={{ user, as_of: row.at }}
            className="link"
            aria-label={`At that time, version ${row.version} of ${row.stock_keeping_unit}: all entitlements of the user`}
          >
            At that time
          </Link>
        </p>
      </div>
    </li>
  );
}
