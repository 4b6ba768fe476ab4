import { useSyncExternalStore } from "react";

/** What a person chose on this device. */
export interface Settings {
  readonly theme: "system" | "light" | "dark";
  readonly zone: "local" | "utc";
  /** Seconds between refreshes; 0 is never. */
  readonly every: number;
  /** Whether single keys do something (WCAG 2.1.4). */
  readonly keys: boolean;
}

const presets: Settings = { theme: "system", zone: "local", every: 5, keys: true };
const place = "kenri-console";
const listeners = new Set<() => void>();
let current = read();

function read(): Settings {
  try {
    return { ...presets, ...(JSON.parse(localStorage.getItem(place) ?? "{}") as Partial<Settings>) };
  } catch {
    return presets;
  }
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = current.theme;
}

export function change(changed: Partial<Settings>): void {
  current = { ...current, ...changed };
  localStorage.setItem(place, JSON.stringify(current));
  applyTheme();
  for (const heard of listeners) heard();
}

export function useSettings(): Settings {
  return useSyncExternalStore(
    heard => {
      listeners.add(heard);
      return () => listeners.delete(heard);
    },
    () => current,
  );
}
