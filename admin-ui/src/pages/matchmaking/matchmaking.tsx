import { Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useQueues } from "../../api/matchmaking.ts";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page } from "../../parts/page.tsx";
import { PauseBanner } from "../../parts/pause_banner.tsx";
import { systemsBehind } from "../../parts/paused_roles.ts";
import { EndedTickets } from "./ended_tickets.tsx";
import { ListTabs, ModeChoice } from "./list_choice.tsx";
import { Found, LookupForm } from "./lookup.tsx";
import { QueuePanel } from "./queue_panel.tsx";
import { RecentMatches } from "./recent_matches.tsx";
import { Troubles } from "./troubles.tsx";
import { knownMode, listOnly, type MatchmakingView } from "./view.ts";

/** The queues of each mode, what needs attention, recent matches, and tickets that ended without one. */
export function Matchmaking() {
  const view = useSearch({ from: "/matchmaking" });
  const { id: openId } = useParams({ strict: false });
  const navigate = useNavigate();
  const { query, troubles } = useQueues();
  const { data, error, refetch } = query;
  const [at, point] = useState<number | null>(null);
  const show = (next: MatchmakingView) => void navigate({ to: "/matchmaking", search: next });
  const modes = data?.queues.map(({ mode }) => mode);
  const mode = knownMode(view.mode, modes);
  const open = (what: "matches" | "tickets") => (id: string) =>
    void navigate({ to: `/matchmaking/${what}/$id`, params: { id }, search: listOnly(view) });
  return (
    <>
      <Page title="Matchmaking" about="Players wait in a queue, are paired, and both are told">
        <LookupForm key={`form ${view.find}`} find={view.find} open={find => show({ ...view, find })} clear={() => show(listOnly(view))} />
        {view.find && <Found key={`found ${view.find}`} id={view.find} view={view} />}
        <PauseBanner systems={systemsBehind.matchmaking} />
        <Troubles troubles={troubles} />
        {error && (
          <div className="panel overflow-hidden">
            <ErrorNotice what="The queues cannot be shown." error={error} retry={() => void refetch()} />
          </div>
        )}
        {!data && !error && (
          <div className="panel">
            <Skeleton rows={8} />
          </div>
        )}
        {data?.queues.map(queue => (
          <QueuePanel key={queue.mode} queue={queue} at={at} point={point} />
        ))}
        <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
          <ListTabs view={view} queues={data?.queues} />
          <ModeChoice modes={modes} mode={mode} choose={chosen => show({ ...listOnly(view), mode: chosen })} />
        </div>
        {view.list ? (
          <EndedTickets
            key={view.list}
            status={view.list}
            mode={mode}
            openId={openId}
            open={open("tickets")}
            clear={() => show({ list: view.list })}
          />
        ) : (
          <RecentMatches mode={mode} openId={openId} open={open("matches")} clear={() => show({})} />
        )}
      </Page>
      <Outlet />
    </>
  );
}
