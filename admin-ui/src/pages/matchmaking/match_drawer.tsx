import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useLive } from "../../api/live.ts";
import { match as matchQuery } from "../../api/matchmaking.ts";
import type { Match } from "../../api/matchmaking_answers.ts";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { At, useNow } from "../../parts/time.tsx";
import { Line } from "../../parts/timeline.tsx";
import { TraceId } from "../../parts/trace_id.tsx";
import { UserLinks } from "../../parts/user_links.tsx";
import { matchStepsOf } from "./match_steps.ts";
import { usePlayerNames } from "./player_names.ts";
import { announcement } from "./queries.ts";
import { secondsText } from "./queue_numbers.ts";
import { matchLook } from "./words.ts";

export function MatchDrawer() {
  const { id } = useParams({ from: "/matchmaking/matches/$id" });
  const search = useSearch({ from: "/matchmaking" });
  const navigate = useNavigate();
  const { data: match, error, refetch } = useQuery({ ...matchQuery(id), ...useLive() });
  return (
    <Drawer
      title={match ? `Match in ${match.mode}` : "Match"}
      head={<Id id={id} whole />}
      close={() => void navigate({ to: "/matchmaking", search })}
    >
      {error && <ErrorNotice what="This match cannot be shown." error={error} retry={() => void refetch()} />}
      {!match && !error && <Skeleton rows={12} />}
      {match && <Details match={match} />}
    </Drawer>
  );
}

function Details({ match }: { match: Match }) {
  const now = useNow();
  const { data: announced, error, refetch } = useQuery({ ...announcement(match), ...useLive() });
  const nameOf = usePlayerNames(match.players.map(({ user_id }) => user_id));
  const steps = matchStepsOf(match, announced, nameOf);
  const trouble = announced?.trouble ?? error?.message;
  return (
    <>
      {trouble && <ErrorNotice what="The steps of notification cannot be loaded." error={trouble} retry={() => void refetch()} />}
      <Section title="Journey">
        <div className="-mx-5 -my-3">
          <Line steps={steps} />
        </div>
      </Section>
      <Section title="State">
        <Facts
          facts={[
            ["State", <StateMark key="state" state={matchLook(match, now)} />],
            ["Paired", <At key="paired" at={match.paired_at} />],
            ["Published", <At key="published" at={match.published_at} />],
            ["Announced", <At key="announced" at={match.announced_at} />],
            [
              "Generation",
              <span key="generation" className="mono">
                {match.publish_generation}
              </span>,
            ],
            ["Session", <Id key="session" id={match.session} whole />],
            ["Trace", <TraceId key="trace" id={match.trace_id} />],
          ]}
        />
      </Section>
      {match.players.map((player, index) => (
        <Section key={player.ticket_id} title={`Player ${index + 1}`}>
          <Facts
            facts={[
              ["Name", nameOf(player.user_id)],
              ["Player", <Id key="player" id={player.user_id} whole />],
              ["Player's pages", <UserLinks key="pages" user={player.user_id} />],
              ["Joined", <At key="joined" at={player.joined_at} />],
              [
                "Waited",
                <span key="waited" className="mono">
                  {secondsText(player.waited_seconds)}
                </span>,
              ],
              [
                "Ticket",
                <Link key="ticket" to="/matchmaking/tickets/$id" params={{ id: player.ticket_id }} className="link mono break-all">
                  {player.ticket_id}
                </Link>,
              ],
              [
                "Notice",
                <Link key="notice" to="/journey/$id" params={{ id: player.notice_id }} className="link">
                  Full journey of the notice
                </Link>,
              ],
              ["Request", <Id key="join" id={player.join_id} whole />],
              ["Trace", <TraceId key="trace" id={player.trace_id} />],
            ]}
          />
        </Section>
      ))}
    </>
  );
}
