import { span } from "../../parts/format.ts";
import type { Step } from "./steps.ts";

/**
 * Steps in the order of cause: none stands before one that must have been first, and among those that may come next the earliest does. Times alone
 * would not do: systems have clocks of their own, and what a worker did is noted a moment after the next one saw it.
 */
export function inOrder(steps: readonly Step[]): Step[] {
  const left = [...steps];
  const ordered: Step[] = [];
  while (left.length > 0) {
    const ready = left.filter(({ after = [] }) => !left.some(other => after.includes(other.key)));
    const next = (ready.length > 0 ? ready : left).reduce((first, one) => (timeOf(one) < timeOf(first) ? one : first));
    ordered.push(next);
    left.splice(left.indexOf(next), 1);
  }
  return ordered;
}

const timeOf = ({ at }: Step) => Date.parse(at ?? "");

// Two clocks, or a note that was made late, differ by no more; beyond that something was noted long after it was done.
const skew = 10_000;

/** How long after the step before, in words. What was noted earlier than its cause came at about the same time. */
export function gapText(milliseconds: number): string {
  if (milliseconds >= 0) return `+${span(milliseconds)}`;
  return milliseconds > -skew ? "≈ 0" : "earlier";
}

export const gapOf = (step: Step, before: Step | undefined): number | undefined =>
  step.at && before?.at ? timeOf(step) - timeOf(before) : undefined;
