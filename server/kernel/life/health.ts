export type Readiness = "starting" | "ready" | "stopping";

/** A role whose work an operator has paused. */
export interface Pause {
  /** `<system>:<role>` */
  readonly role: string;
  readonly paused_at: string;
  readonly paused_by: string;
  readonly reason: string;
}

export const pauseText = ({ paused_by, paused_at, reason }: Pause): string => `paused by ${paused_by} since ${paused_at}: ${reason}`;

export type Parts = Readonly<Record<string, string | null>>;

/** The health of a process. Only its own database and its life cycle make it unready; other troubles make it degraded. */
export function createHealth(reported: (part: string, isWell: boolean) => void = () => {}) {
  const parts = new Map<string, string | null>();
  const report = (part: string, trouble: string | null) => {
    parts.set(part, trouble);
    reported(part, trouble === null);
  };
  return {
    state: "starting" as Readiness,
    /** Why it is not ready, e.g. missing migrations. */
    waitingFor: "its start" as string,
    trouble: (part: string, what: string) => report(part, what),
    fine: (part: string) => report(part, null),
    troubles: () => Object.fromEntries([...parts].filter((part): part is [string, string] => part[1] !== null)),
    /** Every part that has reported, with its trouble; null = none. */
    parts: (): Parts => Object.fromEntries(parts),
    /** The last reports of the workers of this process, by role. */
    workers: new Map<string, Parts>(),
    /** The paused roles that this process runs or serves. A pause is not a trouble. */
    pauses: [] as readonly Pause[],
    /** Queries the service's own database; rejects if it is unavailable. Undefined in a process without one. */
    askDatabase: undefined as (() => Promise<unknown>) | undefined,
  };
}

export type Health = ReturnType<typeof createHealth>;
