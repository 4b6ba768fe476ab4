import type { SystemName } from "../../stack/dev_systems.ts";
import type { Stage } from "./stage.ts";

/** A failure mode of docs/failure-modes.md that one machine can make. */
export interface Drill {
  readonly what: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Systems with a process of their own. The others share one. */
  readonly apart?: readonly SystemName[];
  /** Before the cause, on the healthy system. */
  prepare?(stage: Stage): Promise<void>;
  /** Called once. */
  cause(stage: Stage): Promise<void> | void;
  /** Called once a second until the alert has ended: what users do meanwhile. A refusal is what users see. */
  traffic?(stage: Stage): Promise<unknown>;
  /** The query that shows the failure, while its value is above 0. */
  readonly moves: string;
  /** The alert, with the labels that it must have. */
  readonly alert: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** What the section of the runbook says. */
  repair(stage: Stage): Promise<void> | void;
  /** A guarantee of its own, after the alert has ended. Throws if it does not hold. */
  check?(stage: Stage): Promise<void>;
  /** What the failure leaves behind by design, besides a system without a backlog. */
  readonly leaves?: {
    /** Orders may have been aborted. */
    readonly abortedOrders?: boolean;
  };
}

export type Drills = Readonly<Record<string, Drill>>;
