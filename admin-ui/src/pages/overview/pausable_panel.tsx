import { useQuery } from "@tanstack/react-query";
import { useLive } from "../../api/live.ts";
import { pauses } from "../../api/pauses.ts";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Panel } from "../../parts/page.tsx";
import { PauseAction } from "../../parts/pause_action.tsx";
import { roleWords } from "../../parts/paused_roles.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { titleOf, type WatchedSystem, watchedSystems } from "../../systems.ts";

/** The roles that operators can pause, wherever they run. */
export const Pausable = () => (
  <Panel title="Work that can be paused" aside={<span className="text-faint">For planned maintenance; nothing is lost</span>}>
    <ul>
      {watchedSystems.map(system => (
        <RolesOf key={system} system={system} />
      ))}
    </ul>
  </Panel>
);

function RolesOf({ system }: { system: WatchedSystem }) {
  const { data, error, refetch } = useQuery({ ...pauses(system), ...useLive() });
  if (error)
    return (
      <li>
        <ErrorNotice
          what={`What is paused in ${titleOf(system).toLowerCase()} cannot be loaded.`}
          error={error}
          retry={() => void refetch()}
        />
      </li>
    );
  if (!data)
    return (
      <li>
        <Skeleton rows={1} />
      </li>
    );
  return data.roles.map(one => (
    <li key={one.role} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-2 last:border-0">
      <span className="min-w-48 font-medium first-letter:uppercase">{roleWords(one.role)}</span>
      <span className="min-w-24">
        <StateMark
          state={one.paused ? { tone: "retry", icon: "pause", word: "Paused" } : { tone: "done", word: "Not paused" }}
          isQuiet={!one.paused}
        />
      </span>
      <span className="min-w-0 flex-1 basis-72 text-soft">{one.means}</span>
      <PauseAction {...one} />
    </li>
  ));
}
