import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useIsHidden, useIsRefreshPaused } from "../api/live.ts";
import { Icon } from "../parts/icons.tsx";
import { change, refreshChoices, useSettings } from "../parts/settings.ts";

/** The refresh interval. Shows when and why refreshing is paused. */
export function Refresh() {
  const client = useQueryClient();
  const { every } = useSettings();
  const isPausedByPage = useIsRefreshPaused();
  const isFetching = useIsFetching() > 0;
  const isHidden = useIsHidden();
  const isPaused = every > 0 && (isPausedByPage || isHidden);
  // The title is the only visible part of a hidden tab.
  useEffect(() => {
    if (!isPaused || !isHidden) return;
    document.title = `⏸ ${document.title}`;
    return () => {
      document.title = document.title.replace(/^⏸ /, "");
    };
  }, [isPaused, isHidden]);
  return (
    <div className="flex items-center gap-1.5">
      {isPaused && (
        <span className="flex items-center gap-1 text-retry" title="Refreshing resumes when no row is selected and the tab is visible">
          <Icon name="pause" className="size-3.5" />
          <span className="hidden lg:inline">{isPausedByPage ? "paused while rows are selected" : "paused while hidden"}</span>
          <span className="lg:hidden">paused</span>
        </span>
      )}
      <select aria-label="Refresh" className="quiet-select" value={every} onChange={event => change({ every: Number(event.target.value) })}>
        {refreshChoices.map(([seconds, name]) => (
          <option key={seconds} value={seconds}>
            {name}
          </option>
        ))}
      </select>
      <button
        type="button"
        className="button !px-2"
        aria-label="Refresh now"
        title="Refresh now (r)"
        onClick={() => client.invalidateQueries()}
      >
        <Icon name="refresh" className={`size-4 ${isFetching ? "text-accent" : ""}`} />
      </button>
    </div>
  );
}
