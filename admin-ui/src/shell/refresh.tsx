import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useIsHeld } from "../live.ts";
import { Icon } from "../parts/icons.tsx";
import { change, refreshChoices, useSettings } from "../settings.ts";

/** How often the page asks again. It says when it does not, and why. */
export function Refresh() {
  const client = useQueryClient();
  const { every } = useSettings();
  const isHeld = useIsHeld();
  const isFetching = useIsFetching() > 0;
  return (
    <div className="flex items-center gap-1.5">
      {isHeld && every > 0 && (
        <span className="flex items-center gap-1 text-retry" title="Refreshing goes on when no row is selected">
          <Icon name="pause" className="size-3.5" />
          <span className="hidden lg:inline">paused while rows are selected</span>
          <span className="max-md:sr-only lg:hidden">paused</span>
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
