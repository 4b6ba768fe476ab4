import type { Operation, Outcome, OutcomeName } from "../api/answers.ts";
import { number } from "./format.ts";
import type { Tone } from "./row_kinds.ts";

interface Verdict {
  readonly tone: Tone;
  readonly word: string;
}

/** The past participle of each action. */
export const doneWords = { requeue: "requeued", discard: "discarded", retry: "retried", resend: "published again" } as const;

/** The current outcome of a row, most important first. */
export const outcomes: Readonly<Record<OutcomeName, Verdict & { readonly field: keyof Omit<Outcome, "more"> }>> = {
  FAILED_AGAIN: { field: "failed_again", tone: "failed", word: "Failed again" },
  RETRYING: { field: "retrying", tone: "retry", word: "Retrying" },
  ON_THE_WAY: { field: "on_the_way", tone: "flight", word: "In progress" },
  DELIVERED: { field: "delivered", tone: "done", word: "Delivered" },
  GONE: { field: "gone", tone: "pending", word: "Deleted" },
};

export interface Part extends Verdict {
  readonly name: OutcomeName;
  readonly count: number;
}

/** The outcomes that occur, with their counts. */
export const partsOf = ({ outcome }: Pick<Operation, "outcome">): Part[] =>
  outcome === null
    ? []
    : Object.entries(outcomes).flatMap(([name, { field, tone, word }]) =>
        outcome[field] > 0 ? [{ name: name as OutcomeName, tone, word, count: outcome[field] }] : [],
      );

/** Whether the operation runs or its rows are still in progress. */
export const isMoving = ({ status, outcome }: Pick<Operation, "status" | "outcome">): boolean =>
  status === "RUNNING" || (outcome !== null && outcome.on_the_way + outcome.retrying > 0);

/** The state of an operation in a word. Rows of a finished operation may have failed again. */
export function verdictOf({ status, waits, action, total, done, failed, outcome }: Operation): Verdict {
  if (status === "RUNNING") return waits ? { tone: "retry", word: "Paused" } : { tone: "flight", word: "Running" };
  const before = status === "CANCELLED" ? "Cancelled, " : status === "STOPPED" ? "Stopped, " : "";
  const again = outcome?.failed_again ?? 0;
  if (again > 0 && again === done && !outcome?.more) return { tone: "failed", word: joined(before, "All failed again") };
  if (again > 0) return { tone: "failed", word: `${before}${number(again)}${outcome?.more ? "+" : ""} failed again` };
  if (failed > 0) return { tone: "failed", word: joined(before, "Done, with failures") };
  if (status === "STOPPED") return { tone: "failed", word: "Stopped" };
  if (outcome && outcome.retrying > 0) return { tone: "retry", word: joined(before, "Retrying") };
  if (outcome && outcome.on_the_way > 0) return { tone: "flight", word: joined(before, "In progress") };
  if (status === "CANCELLED") return { tone: "stale", word: "Cancelled" };
  if (action === "discard" || total === 0) return { tone: "done", word: "Done" };
  if (done === 0) return { tone: "pending", word: "Nothing changed" };
  // Only a part of a very large operation was checked. The rest is unknown.
  if (outcome === null || outcome.more) return { tone: "pending", word: capital(doneWords[action]) };
  if (outcome.delivered === 0) return { tone: "pending", word: "Deleted" };
  return { tone: "done", word: "Delivered" };
}

const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);
const joined = (before: string, word: string) => (before ? before + word[0]!.toLowerCase() + word.slice(1) : word);
