import { useEffect, useSyncExternalStore } from "react";
import { useSettings } from "../parts/settings.ts";

let holders = 0;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function changeHolders(by: number): void {
  holders += by;
  for (const listener of listeners) listener();
}

/** Pauses refreshing, so that no row moves while rows are selected. */
export function usePauseRefresh(isPausing: boolean): void {
  useEffect(() => {
    if (!isPausing) return;
    changeHolders(1);
    return () => changeHolders(-1);
  }, [isPausing]);
}

export const useIsRefreshPaused = (): boolean => useSyncExternalStore(subscribe, () => holders > 0);

const onVisibility = (listener: () => void) => {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
};

export const useIsHidden = (): boolean => useSyncExternalStore(onVisibility, () => document.visibilityState === "hidden");

/** The chosen refresh interval for queries. TanStack Query itself does not refetch in a hidden tab. */
export function useLive(): { refetchInterval: number | false } {
  const { every } = useSettings();
  const isPausedByPage = useIsRefreshPaused();
  return { refetchInterval: every > 0 && !isPausedByPage ? every * 1000 : false };
}
