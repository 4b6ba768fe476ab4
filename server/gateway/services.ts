import type { System } from "../kernel/system/system.ts";

/** The systems that routes of the gateway call by name, for people. Operators reach every system that serves operators. */
export const calledByName = ["account", "entitlement", "matchmaking", "notification"] as const;
export type SystemName = (typeof calledByName)[number];

/**
 * The systems behind the gateway. Their names have the type of those that are called by name, so that a misspelt one is a type error; there may
 * be more of them.
 */
export interface Services {
  readonly names: readonly SystemName[];
  /** Operators reach these. */
  readonly operated: readonly SystemName[];
  /** People can run bulk operations here. */
  readonly withOperations: readonly SystemName[];
}

export function reachable(systems: readonly System[]): Services {
  const names = (isWanted: (system: System) => boolean) =>
    systems
      .filter(isWanted)
      .map(({ name }) => name as SystemName)
      .toSorted();
  const all = names(({ serves }) => serves.includes("people") || serves.includes("operators"));
  const missing = calledByName.filter(name => !all.includes(name));
  if (missing.length > 0) throw new Error(`the gateway calls ${missing.join(", ")}, which no system declares`);
  return {
    names: all,
    operated: names(({ serves }) => serves.includes("operators")),
    withOperations: names(({ rowKinds = [] }) => rowKinds.length > 0),
  };
}
