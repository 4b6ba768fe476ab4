import { Link } from "@tanstack/react-router";
import { useId } from "react";
import type { Queue } from "../../api/matchmaking_answers.ts";
import { number } from "../../parts/format.ts";
import { invalidIn } from "../../parts/match_troubles.ts";
import { listOnly, type MatchmakingView } from "./view.ts";

const lists = [
  { list: undefined, word: "Recent matches" },
  { list: "EXPIRED", word: "Expired tickets" },
  { list: "INVALID", word: "Invalid tickets" },
] as const;

/** Matches, or tickets that ended without one. Invalid tickets should not exist, so their number is shown. */
export function ListTabs({ view, queues }: { view: MatchmakingView; queues: readonly Queue[] | undefined }) {
  const invalid = queues?.reduce((sum, queue) => sum + invalidIn(queue), 0) ?? 0;
  return (
    // Relative, so that hidden text is cut with the tab that it belongs to.
    <nav aria-label="Lists" className="relative -mb-1 flex max-w-full min-w-0 gap-1 overflow-x-auto border-b">
      {lists.map(({ list, word }) => {
        const isChosen = view.list === list;
        const { list: _, ...rest } = listOnly(view);
        return (
          <Link
            key={word}
            to="/matchmaking"
            search={list ? { ...rest, list } : rest}
            className={`flex h-9 shrink-0 items-center gap-1.5 border-b-2 px-3 ${isChosen ? "border-accent font-semibold" : "border-transparent text-soft hover:text-ink"}`}
            activeProps={{}}
            aria-current={isChosen ? "page" : undefined}
          >
            {word}
            {list === "INVALID" && invalid > 0 && (
              <span className="mono font-semibold text-failed">
                {number(invalid)}
                <span className="sr-only"> in the last hour</span>
              </span>
            )}
          </Link>
        );
      })}
    </nav>
  );
}

interface ModeChoiceProps {
  readonly modes: readonly string[] | undefined;
  readonly mode: string | undefined;
  readonly choose: (mode: string | undefined) => void;
}

/** The mode that the lists are limited to. */
export function ModeChoice({ modes = [], mode, choose }: ModeChoiceProps) {
  const id = useId();
  return (
    <div className="flex items-center gap-2 text-soft">
      <label htmlFor={id}>Mode</label>
      <select id={id} className="quiet-select" value={mode ?? ""} onChange={event => choose(event.target.value || undefined)}>
        <option value="">all</option>
        {modes.map(one => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </div>
  );
}
