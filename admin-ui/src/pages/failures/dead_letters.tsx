import { useInfiniteQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useLive } from "../../api/live.ts";
import { number } from "../../parts/format.ts";
import { useIsNarrow } from "../../parts/narrow.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page } from "../../parts/page.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";
import { FailureTabs } from "./failure_tabs.tsx";
import type { RawDeadLetter } from "./queries.ts";
import { rawDeadLetters } from "./queries.ts";

export const deadLetterState = ({ reprocessed_at, untrusted }: Pick<RawDeadLetter, "reprocessed_at" | "untrusted">) =>
  reprocessed_at
    ? ({ tone: "done", word: "Consumed" } as const)
    : ({ tone: "failed", word: untrusted ? "Not trusted" : "Unreadable" } as const);

/** Messages that notification could not decode or store, or does not trust, stored unchanged. */
export function DeadLetters() {
  const { which } = useSearch({ from: "/failures/unreadable" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...rawDeadLetters(which),
    ...useLive(),
  });
  const rows = data?.pages.flatMap(page => page.raw_dead_letters) ?? [];
  return (
    <>
      <Page
        title="Failures"
        about="Messages from the stream that notification could not read or does not trust"
        actions={
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={which === "all"}
              onChange={event => void navigate({ to: "/failures/unreadable", search: event.target.checked ? { which: "all" } : {} })}
            />
            Include reprocessed messages
          </label>
        }
      >
        <FailureTabs />
        <div className="panel min-w-0 overflow-hidden">
          {error && <ErrorNotice what="Unreadable messages cannot be listed." error={error} retry={() => void refetch()} />}
          {isPending && <Skeleton rows={8} />}
          {data && rows.length === 0 && (
            <EmptyState title={which === "all" ? "No unreadable messages" : "No open unreadable messages"}>
              Messages that cannot be decoded, or are not signed with a known key, are stored here unchanged with the reason. They can be
              reprocessed after a fix.
            </EmptyState>
          )}
          {rows.length > 0 && <DeadLetterRows rows={rows} which={which} />}
        </div>
        {hasNextPage && (
          <button type="button" className="button self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading …" : "Load older"}
          </button>
        )}
      </Page>
      <Outlet />
    </>
  );
}

function DeadLetterRows({ rows, which }: { rows: readonly RawDeadLetter[]; which: "all" | undefined }) {
  const navigate = useNavigate();
  const { id: openId } = useParams({ strict: false });
  const open = ({ id }: RawDeadLetter) => void navigate({ to: "/failures/unreadable/$id", params: { id }, search: which ? { which } : {} });
  if (useIsNarrow())
    return (
      <ul>
        {rows.map(row => (
          <li key={row.id} className="border-b last:border-0">
            <button type="button" className="flex w-full flex-col gap-1 px-3 py-2.5 text-left" onClick={() => open(row)}>
              <span className="flex w-full justify-between">
                <StateMark state={deadLetterState(row)} />
                <Ago at={row.received_at} />
              </span>
              <span className="mono line-clamp-2 break-words">{row.reason}</span>
              <span className="mono text-faint">{`${row.subject} #${number(row.stream_seq)} · ${number(row.size)} bytes`}</span>
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
          <th className="w-full">Reason</th>
          <th>Subject</th>
          <th className="end">Sequence</th>
          <th className="end">Bytes</th>
          <th className="end">Received</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          // The button in the first cell is the keyboard equivalent.
          <tr key={row.id} className="cursor-pointer" data-open={row.id === openId || undefined} onClick={() => open(row)}>
            <td>
              <button type="button" className="flex" onClick={() => open(row)}>
                <StateMark state={deadLetterState(row)} />
              </button>
            </td>
            <td className="mono max-w-0 truncate" title={row.reason}>
              {row.reason}
            </td>
            <td className="mono">{row.subject}</td>
            <td className="end mono">#{number(row.stream_seq)}</td>
            <td className="end mono">{number(row.size)}</td>
            <td className="end">
              <Ago at={row.received_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
