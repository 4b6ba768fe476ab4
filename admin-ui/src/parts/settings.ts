import { useSyncExternalStore } from "react";

/** The preferences of this device. */
export interface Settings {
  readonly theme: "system" | "light" | "dark";
  readonly zone: "local" | "utc";
  /** Seconds between refreshes; 0 means never. */
  readonly every: number;
  /** Whether single-key shortcuts are on (WCAG 2.1.4). */
  readonly keys: boolean;
  /** Rows per page of a list. */
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

const defaults: Settings = { theme: "system", zone: "local", every: 5, keys: true, rows: 50 };
const storageKey = "kenri-console";
const listeners = new Set<() => void>();
let current = read();

function read(): Settings {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(storageKey) ?? "{}") as Partial<Settings>) };
  } catch {
    return defaults;
  }
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = current.theme;
}

export function change(changed: Partial<Settings>): void {
  current = { ...current, ...changed };
  localStorage.setItem(storageKey, JSON.stringify(current));
  applyTheme();
  for (const listener of listeners) listener();
}

/** The stored value may be outdated or edited by hand. */
export const pageSize = (): number => rowChoices.find(rows => rows === current.rows) ?? defaults.rows;

export function useSettings(): Settings {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
