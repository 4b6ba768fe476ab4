import { useSyncExternalStore } from "react";

/** What a person chose on this device. */
export interface Settings {
  readonly theme: "system" | "light" | "dark";
  readonly zone: "local" | "utc";
  /** Seconds between refreshes; 0 is never. */
  readonly every: number;
  /** Whether single keys do something (WCAG 2.1.4). */
  readonly keys: boolean;
  /** Rows of a list that come in one go. */
  readonly rows: number;
}

export const refreshChoices = [
  [0, "Off"],
  [2, "2 s"],
  [5, "5 s"],
  [15, "15 s"],
  [60, "1 min"],
] as const;
export const rowChoices = [25, 50, 100, 200] as const;

const presets: Settings = { theme: "system", zone: "local", every: 5, keys: true, rows: 50 };
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

/** What was stored may be of another time, or somebody's own. */
export const pageSize = (): number => rowChoices.find(rows => rows === current.rows) ?? presets.rows;

export function useSettings(): Settings {
  return useSyncExternalStore(
    heard => {
      listeners.add(heard);
      return () => listeners.delete(heard);
    },
    () => current,
  );
}
