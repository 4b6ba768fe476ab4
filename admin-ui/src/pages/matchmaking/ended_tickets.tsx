import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLive } from "../../api/live.ts";
import type { EndedTicket } from "../../api/matchmaking_answers.ts";
import { shortId } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { useIsNarrow } from "../../parts/narrow.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { pageSize } from "../../parts/settings.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";
import { endedTickets } from "./queries.ts";
import { secondsText } from "./queue_numbers.ts";
import type { ListProps } from "./recent_matches.tsx";
import { mostRows, ShowMore } from "./show_more.tsx";
import type { EndedStatus } from "./view.ts";
import { ticketLook } from "./words.ts";

const titles: Record<EndedStatus, string> = { EXPIRED: "Expired tickets", INVALID: "Invalid tickets" };
const about: Record<EndedStatus, string> = {
  EXPIRED: "Nobody else was there in time. That is normal, and the player can join again.",
  INVALID: "The queue had the ticket, but it could not be used. The reason says why. The player has to join again.",
};

/** Tickets that ended without a match, and why. */
export function EndedTickets({ status, mode, openId, open, clear }: ListProps & { readonly status: EndedStatus }) {
  const [limit, setLimit] = useState(pageSize);
  const { data, error, isPending, refetch } = useQuery({ ...endedTickets(status, mode, limit), ...useLive() });
  const rows = data?.tickets ?? [];
  const isNarrow = useIsNarrow();
  return (
    <section className="panel min-w-0 overflow-hidden" aria-label={titles[status]}>
      <p className="border-b px-4 py-2 text-faint">{about[status]}</p>
      {error && <ErrorNotice what={`${titles[status]} cannot be listed.`} error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton rows={8} />}
      {data && rows.length === 0 && (
        <EmptyState title={`No ${titles[status].toLowerCase()}${mode ? ` in ${mode}` : ""}`}>
          {mode ? (
            <button type="button" className="link" onClick={clear}>
              Show all modes
            </button>
          ) : (
            "Nothing needs attention."
          )}
        </EmptyState>
      )}
      {rows.length > 0 &&
        (isNarrow ? <Cards rows={rows} open={open} /> : <Table rows={rows} openId={openId} open={open} title={titles[status]} />)}
      <ShowMore many={rows.length} limit={limit} showAll={() => setLimit(mostRows)} />
    </section>
  );
}

interface RowsProps {
  readonly rows: readonly EndedTicket[];
  readonly open: (id: string) => void;
}

function Table({ rows, openId, open, title }: RowsProps & { openId: string | undefined; title: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
    <section className="relative max-h-[calc(100dvh-14rem)] overflow-auto" tabIndex={0} aria-label={`${title}, table`}>
      <table className="grid-table">
        <thead>
          <tr>
            <th>State</th>
            <th>Mode</th>
            <th>Player</th>
            <th className="w-full">Why</th>
            <th className="end">Waited</th>
            <th className="end">Ended</th>
            <th>Ticket</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(ticket => (
            // The button in the first cell is the keyboard equivalent.
            <tr
              key={ticket.ticket_id}
              data-open={ticket.ticket_id === openId ? "" : undefined}
              className="cursor-pointer"
              onClick={() => open(ticket.ticket_id)}
            >
              <td>
                <button
                  type="button"
                  className="flex"
                  aria-label={`${ticketLook(ticket).word}: open ${ticket.ticket_id}`}
                  onClick={event => {
                    event.stopPropagation();
                    open(ticket.ticket_id);
                  }}
                >
                  <StateMark state={ticketLook(ticket)} />
                </button>
              </td>
              <td>{ticket.mode}</td>
              <td>{ticket.user_id ? <Id id={ticket.user_id} /> : <span className="text-faint">unknown</span>}</td>
              <td className="max-w-0 truncate text-soft" title={ticket.why}>
                {ticket.why}
              </td>
              <td className="mono end text-soft">{secondsText(ticket.waited_seconds)}</td>
              <td className="end">
                <Ago at={ticket.ended_at} />
              </td>
              <td>
                <Id id={ticket.ticket_id} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Cards = ({ rows, open }: RowsProps) => (
  <ul aria-label="Tickets">
    {rows.map(ticket => (
      <li key={ticket.ticket_id} className="border-b last:border-0">
        <button type="button" className="w-full px-3 py-2.5 text-left" onClick={() => open(ticket.ticket_id)}>
          <span className="flex items-center justify-between gap-2">
            <StateMark state={ticketLook(ticket)} />
            <Ago at={ticket.ended_at} />
          </span>
          <span className="mt-0.5 block truncate">
            {ticket.mode} · <span className="mono">{ticket.user_id ? shortId(ticket.user_id) : "unknown player"}</span>
          </span>
          <span className="mt-0.5 line-clamp-2 break-words text-soft">{ticket.why}</span>
        </button>
      </li>
    ))}
  </ul>
);
