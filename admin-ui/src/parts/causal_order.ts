import { span } from "./format.ts";
import type { Step } from "./step.ts";

/**
 * Steps in causal order, and by time where the cause leaves it open. Times alone are not enough: systems have different clocks, and a worker
 * records its step a moment after the next worker saw the result.
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

// The largest difference explained by clock skew or late recording.
const skew = 10_000;

/** The delay after the previous step, in words. A step recorded before its cause happened at about the same time. */
export function gapText(milliseconds: number): string {
  if (milliseconds >= 0) return `+${span(milliseconds)}`;
  return milliseconds > -skew ? "≈ 0" : "earlier";
}

export const gapOf = (step: Step, before: Step | undefined): number | undefined =>
  step.at && before?.at ? timeOf(step) - timeOf(before) : undefined;
