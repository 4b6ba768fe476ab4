import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLive } from "../../api/live.ts";
import type { Match } from "../../api/matchmaking_answers.ts";
import { shortId } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { useIsNarrow } from "../../parts/narrow.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { pageSize } from "../../parts/settings.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago, useNow } from "../../parts/time.tsx";
import { matches } from "./queries.ts";
import { secondsText } from "./queue_numbers.ts";
import { mostRows, ShowMore } from "./show_more.tsx";
import { matchLook } from "./words.ts";

export interface ListProps {
  readonly mode: string | undefined;
  readonly openId: string | undefined;
  readonly open: (id: string) => void;
  /** Shows all modes. */
  readonly clear: () => void;
}

export function RecentMatches({ mode, openId, open, clear }: ListProps) {
  const [limit, setLimit] = useState(pageSize);
  const { data, error, isPending, refetch } = useQuery({ ...matches(mode, limit), ...useLive() });
  const rows = data?.matches ?? [];
  const isNarrow = useIsNarrow();
  return (
    <section className="panel min-w-0 overflow-hidden" aria-label="Recent matches">
      {error && <ErrorNotice what="Matches cannot be listed." error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton rows={8} />}
      {data && rows.length === 0 && <NoMatches mode={mode} clear={clear} />}
      {rows.length > 0 && (isNarrow ? <Cards rows={rows} open={open} /> : <Table rows={rows} openId={openId} open={open} />)}
      <ShowMore many={rows.length} limit={limit} showAll={() => setLimit(mostRows)} />
    </section>
  );
}

function NoMatches({ mode, clear }: { mode: string | undefined; clear: () => void }) {
  if (!mode)
    return (
      <EmptyState title="No matches yet">
        A match appears here as soon as two players of the same mode wait. To try it, sign in as two users on the start page and queue both.
      </EmptyState>
    );
  return (
    <EmptyState title={`No matches in ${mode}`}>
      <button type="button" className="link" onClick={clear}>
        Show all modes
      </button>
    </EmptyState>
  );
}

interface RowsProps {
  readonly rows: readonly Match[];
  readonly open: (id: string) => void;
}

const waitedOf = ({ players }: Match) => players.map(({ waited_seconds }) => secondsText(waited_seconds)).join(" / ");

function Table({ rows, openId, open }: RowsProps & { openId: string | undefined }) {
  const now = useNow();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
    <section className="relative max-h-[calc(100dvh-14rem)] overflow-auto" tabIndex={0} aria-label="Matches">
      <table className="grid-table">
        <thead>
          <tr>
            <th>State</th>
            <th>Mode</th>
            <th>Player</th>
            <th>Player</th>
            <th className="end">Waited</th>
            <th className="w-full">Why</th>
            <th className="end">Paired</th>
            <th>Match</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(match => (
            // The button in the first cell is the keyboard equivalent.
            <tr
              key={match.match_id}
              data-open={match.match_id === openId ? "" : undefined}
              className="cursor-pointer"
              onClick={() => open(match.match_id)}
            >
              <td>
                <button
                  type="button"
                  className="flex"
                  aria-label={`${matchLook(match, now).word}: open ${match.match_id}`}
                  onClick={event => {
                    event.stopPropagation();
                    open(match.match_id);
                  }}
                >
                  <StateMark state={matchLook(match, now)} />
                </button>
              </td>
              <td>{match.mode}</td>
              {match.players.map(({ ticket_id, user_id }) => (
                <td key={ticket_id}>
                  <Id id={user_id} />
                </td>
              ))}
              <td className="mono end text-soft">{waitedOf(match)}</td>
              <td className="max-w-0 truncate text-soft" title={match.why ?? undefined}>
                {match.why}
              </td>
              <td className="end">
                <Ago at={match.paired_at} />
              </td>
              <td>
                <Id id={match.match_id} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cards({ rows, open }: RowsProps) {
  const now = useNow();
  return (
    <ul aria-label="Matches">
      {rows.map(match => (
        <li key={match.match_id} className="border-b last:border-0">
          <button type="button" className="w-full px-3 py-2.5 text-left" onClick={() => open(match.match_id)}>
            <span className="flex items-center justify-between gap-2">
              <StateMark state={matchLook(match, now)} />
              <Ago at={match.paired_at} />
            </span>
            <span className="mt-0.5 block truncate">
              {match.mode} · <span className="mono">{match.players.map(({ user_id }) => shortId(user_id)).join(" and ")}</span>
            </span>
            <span className="mt-0.5 line-clamp-2 break-words text-faint">{match.why ?? `waited ${waitedOf(match)}`}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
