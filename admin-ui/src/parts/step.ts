import type { KindName } from "../systems.ts";
import type { Tone } from "./row_kinds.ts";

/** A step of the journey of an event, an order or a match, done or still missing. */
export interface Step {
  readonly key: string;
  readonly at: string | null;
  readonly tone: Tone;
  readonly title: string;
  readonly who?: string;
  readonly text?: string;
  readonly error?: string;
  /** A time mentioned in the text, with its label. */
  readonly speaksOf?: { readonly word: string; readonly at: string };
  /** Keys of the steps that come before this one. */
  readonly after?: readonly string[];
  /** Whether a long gap before it is normal, e.g. the wait for another player. */
  readonly isUnhurried?: boolean;
  /** The text for a missing time. Default: not yet. */
  readonly missing?: string;
  /** The row that an operator may act on here. */
  readonly row?: {
    readonly kind: KindName;
    readonly id: string;
    readonly status: string;
    readonly attempts: number;
    readonly failedAt?: string | null;
  };
  /** The unreadable message that this is about. */
  readonly letter?: string;
  /** The ticket of a player that this is about. */
  readonly ticket?: string;
  /** The notification that this is about. */
  readonly notification?: string;
  /** The order whose outcome a person may settle. */
  readonly unknownOrder?: string;
}
