import { usePausedRoles } from "../api/pauses.ts";
import type { WatchedSystem } from "../systems.ts";
import { Actor } from "./actor.tsx";
import { Icon } from "./icons.tsx";
import { PauseAction } from "./pause_action.tsx";
import { type PausedRole, roleWords } from "./paused_roles.ts";
import { Ago, At } from "./time.tsx";

/** What operators have paused in these systems: who, since when, why, and what it means. Nothing is shown if all roles work. */
export function PauseBanner({ systems }: { systems: readonly WatchedSystem[] }) {
  const paused = usePausedRoles(systems);
  if (paused.length === 0) return null;
  return (
    <section aria-label="Paused" className="panel min-w-0 overflow-hidden !border-retry">
      <ul>
        {paused.map(one => (
          <PausedLine key={one.role} {...one} />
        ))}
      </ul>
    </section>
  );
}

function PausedLine(one: PausedRole) {
  const { role, means, paused } = one;
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b px-4 py-2.5 last:border-0">
      <Icon name="pause" className="mt-0.5 size-4 text-retry" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="break-words">
          <strong className="font-semibold text-retry">Paused: {roleWords(role)}</strong> since <At at={paused.paused_at} /> (
          <Ago at={paused.paused_at} />) by <Actor id={paused.paused_by} />
        </p>
        <p className="break-words">{paused.reason}</p>
        <p className="max-w-[80ch] text-soft">{means}</p>
      </div>
      <PauseAction {...one} />
    </li>
  );
}
