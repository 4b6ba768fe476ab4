import { useEffect, useSyncExternalStore } from "react";
import { useSettings } from "../parts/settings.ts";

let holders = 0;
const listeners = new Set<() => void>();
const subscribe = (heard: () => void) => {
  listeners.add(heard);
  return () => listeners.delete(heard);
};

function hold(by: number): void {
  holders += by;
  for (const heard of listeners) heard();
}

/** Nothing moves under the pointer while rows are selected. */
export function useHold(isHolding: boolean): void {
  useEffect(() => {
    if (!isHolding) return;
    hold(1);
    return () => hold(-1);
  }, [isHolding]);
}

export const useIsHeld = (): boolean => useSyncExternalStore(subscribe, () => holders > 0);

const onVisibility = (heard: () => void) => {
  document.addEventListener("visibilitychange", heard);
  return () => document.removeEventListener("visibilitychange", heard);
};

export const useIsHidden = (): boolean => useSyncExternalStore(onVisibility, () => document.visibilityState === "hidden");

/** For queries that refresh as the person chose. A hidden tab asks nothing: that is Query's own habit. */
export function useLive(): { refetchInterval: number | false } {
  const { every } = useSettings();
  const isHeld = useIsHeld();
  return { refetchInterval: every > 0 && !isHeld ? every * 1000 : false };
}
