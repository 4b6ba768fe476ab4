import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useLive } from "../../api/live.ts";
import { ticket as ticketQuery } from "../../api/matchmaking.ts";
import type { Ticket } from "../../api/matchmaking_answers.ts";
import { useCan } from "../../api/role.ts";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section, Verbatim } from "../../parts/facts.tsx";
import { number } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";
import { TraceId } from "../../parts/trace_id.tsx";
import { UserLinks } from "../../parts/user_links.tsx";
import { usePlayerNames } from "./player_names.ts";
import { secondsText } from "./queue_numbers.ts";
import { ticketLook } from "./words.ts";

export function TicketDrawer() {
  const { id } = useParams({ from: "/matchmaking/tickets/$id" });
  const search = useSearch({ from: "/matchmaking" });
  const navigate = useNavigate();
  const { data: ticket, error, refetch } = useQuery({ ...ticketQuery(id), ...useLive() });
  return (
    <Drawer
      title={ticket ? `Ticket in ${ticket.mode}` : "Ticket"}
      head={<Id id={id} whole />}
      close={() => void navigate({ to: "/matchmaking", search })}
    >
      {error && <ErrorNotice what="This ticket cannot be shown." error={error} retry={() => void refetch()} />}
      {!ticket && !error && <Skeleton rows={12} />}
      {ticket && <Details ticket={ticket} />}
    </Drawer>
  );
}

const Seconds = ({ value }: { value: number | null }) => <span className="mono">{secondsText(value)}</span>;

function Details({ ticket }: { ticket: Ticket }) {
  const peers = ticket.peer_user_ids ?? [];
  const nameOf = usePlayerNames([...(ticket.user_id ? [ticket.user_id] : []), ...peers]);
  const seesAttributes = useCan("OPERATOR");
  const isQueued = ticket.status === "QUEUED";
  return (
    <>
      <Section title="State">
        <Facts
          facts={[
            ["State", <StateMark key="state" state={ticketLook(ticket)} />],
            ...(ticket.why ? [["Why", ticket.why] as const] : []),
            ["Joined", <At key="joined" at={ticket.joined_at} />],
            [isQueued ? "Expires" : "Would expire", <At key="expires" at={ticket.expires_at} />],
            ["Ended", isQueued ? "still waits" : <At key="ended" at={ticket.ended_at} />],
            ["Waited", <Seconds key="waited" value={ticket.waited_seconds} />],
            ...(isQueued
              ? [
                  ["In front", ticket.ahead === null ? null : number(ticket.ahead)] as const,
                  ["Estimated wait", <Seconds key="estimate" value={ticket.estimated_wait_seconds} />] as const,
                ]
              : []),
          ]}
        />
      </Section>
      {ticket.match_id && (
        <Section title="Match">
          <Facts
            facts={[
              [
                "Match",
                <Link key="match" to="/matchmaking/matches/$id" params={{ id: ticket.match_id }} className="link mono break-all">
                  {ticket.match_id}
                </Link>,
              ],
              ["Peer", peers.map(peer => <Id key={peer} id={peer} name={nameOf(peer)} />)],
              ["Session", ticket.session ? <Id key="session" id={ticket.session} whole /> : null],
            ]}
          />
        </Section>
      )}
      <Section title="Player">
        <Facts
          facts={[
            ...(ticket.user_id
              ? [
                  ["Name", nameOf(ticket.user_id)] as const,
                  ["Player", <Id key="player" id={ticket.user_id} whole />] as const,
                  ["Player's pages", <UserLinks key="pages" user={ticket.user_id} />] as const,
                ]
              : [["Player", "unknown: the ticket lacks it"] as const]),
            ["Request", ticket.join_id && <Id key="join" id={ticket.join_id} whole />],
            ["Trace", ticket.trace_id && <TraceId key="trace" id={ticket.trace_id} />],
          ]}
        />
      </Section>
      <Section title="Attributes">
        {!seesAttributes && <p className="mb-2 text-faint">Attributes are masked for your role.</p>}
        <Verbatim text={typeof ticket.attributes === "string" ? ticket.attributes : JSON.stringify(ticket.attributes, null, 2)} />
      </Section>
    </>
  );
}
