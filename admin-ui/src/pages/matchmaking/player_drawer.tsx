import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useLive } from "../../api/live.ts";
import type { Ticket } from "../../api/matchmaking_answers.ts";
import { Drawer } from "../../parts/drawer.tsx";
import { Section } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";
import { UserLinks, UserLists } from "../../parts/user_links.tsx";
import { usePlayerNames } from "./player_names.ts";
import { playerTickets } from "./queries.ts";
import { secondsText } from "./queue_numbers.ts";
import { ticketLook } from "./words.ts";

export function PlayerDrawer() {
  const { id } = useParams({ from: "/matchmaking/players/$id" });
  const search = useSearch({ from: "/matchmaking" });
  const navigate = useNavigate();
  const nameOf = usePlayerNames([id]);
  const { data: tickets, error, refetch } = useQuery({ ...playerTickets(id), ...useLive() });
  return (
    <Drawer title={`Tickets of ${nameOf(id)}`} head={<Id id={id} whole />} close={() => void navigate({ to: "/matchmaking", search })}>
      {error && <ErrorNotice what="These tickets cannot be shown." error={error} retry={() => void refetch()} />}
      {!tickets && !error && <Skeleton rows={6} />}
      {tickets && (
        <Section title="Tickets, newest first">
          {tickets.length === 0 ? (
            <EmptyState title="No tickets of this player">
              The player has not joined lately. Ids are case-sensitive, and a ticket is deleted some time after its end.
            </EmptyState>
          ) : (
            <TicketList tickets={tickets} />
          )}
        </Section>
      )}
      <Section title="Related pages">
        <div className="flex flex-wrap gap-x-3 gap-y-1">
          <UserLinks user={id} />
          <UserLists user={id} />
        </div>
      </Section>
    </Drawer>
  );
}

const TicketList = ({ tickets }: { tickets: readonly Ticket[] }) => (
  <ol className="overflow-hidden rounded border">
    {tickets.map(ticket => (
      <li key={ticket.ticket_id} className="border-b px-3 py-2 last:border-0">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          <StateMark state={ticketLook(ticket)} />
          <span>{ticket.mode}</span>
          <Ago at={ticket.joined_at} />
          <span className="text-faint">
            waited <span className="mono">{secondsText(ticket.waited_seconds)}</span>
          </span>
          <span className="ml-auto flex gap-3">
            <Link
              to="/matchmaking/tickets/$id"
              params={{ id: ticket.ticket_id }}
              className="link"
              aria-label={`Ticket ${ticket.ticket_id}`}
            >
              Ticket
            </Link>
            {ticket.match_id && (
              <Link to="/matchmaking/matches/$id" params={{ id: ticket.match_id }} className="link" aria-label={`Match ${ticket.match_id}`}>
                Match
              </Link>
            )}
          </span>
        </p>
        {ticket.why && <p className="mt-0.5 break-words text-soft">{ticket.why}</p>}
      </li>
    ))}
  </ol>
);
