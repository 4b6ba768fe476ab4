import type { Kind } from "../systems.ts";
import { ago } from "./format.ts";

type Named = Pick<Kind, "name">;

/** What remains of discarded rows. The ledger is the record of an order and outlives its row. */
export function keptOf({ name }: Named, many: number): string {
  if (name !== "orders") return `Only the audit log keeps a record of ${many === 1 ? "it" : "them"}.`;
  return many === 1
    ? "The ledger keeps its entry, and the audit log keeps a record of it."
    : "The ledger keeps their entries, and the audit log keeps a record of them.";
}

export interface FirstFailure {
  readonly at: string | undefined;
  /** Whether not all rows were examined. */
  readonly mayBeEarlier: boolean;
}

/** What requeueing failed rows may do twice: an order that failed may have been placed again. */
export function requeueRisk({ name }: Named, many: number, { at, mayBeEarlier }: FirstFailure, now: number): string | undefined {
  if (name !== "orders") return undefined;
  const when = at && `${ago(at, now)}${mayBeEarlier ? " or earlier" : ""}`;
  return many === 1
    ? `The client was told${when ? ` ${when}` : ""} that this order failed, and may have ordered again. If so, both orders are executed.`
    : `The clients were told that these orders failed${when ? `, the first ${when}` : ""}, and may have ordered again. If so, both orders are executed.`;
}
