import { Fragment } from "react";
import type { Operation } from "../api/answers.ts";
import { number } from "./format.ts";
import { doneWords, type Part, partsOf } from "./operation_outcome.ts";
import type { Tone } from "./row_kinds.ts";
import { toneText } from "./state_mark.tsx";

/** The progress of a bulk operation and the current outcome of its rows. A finished operation may have failed rows. */
export function OperationProgress({ operation }: { operation: Operation }) {
  const { action, total, done, skipped, failed, outcome } = operation;
  const parts = partsOf(operation);
  const facts = [
    { text: `${number(done)} / ${number(total)} ${doneWords[action]}`, tone: "" },
    ...parts.map(({ tone, word, count }) => ({
      text: `${number(count)}${outcome?.more ? "+" : ""} ${word.toLowerCase()}`,
      tone: toneText[tone],
    })),
    ...(skipped > 0 ? [{ text: `${number(skipped)} skipped`, tone: "" }] : []),
    ...(failed > 0 ? [{ text: `${number(failed)} refused`, tone: "text-failed" }] : []),
  ];
  return (
    <div className="flex min-w-40 flex-col gap-1">
      <Bar operation={operation} parts={parts} />
      <p className="mono text-soft">
        {facts.map(({ text, tone }, index) => (
          <Fragment key={text}>
            <span className="whitespace-nowrap">
              <span className={tone}>{text}</span>
              {index < facts.length - 1 && " ·"}
            </span>{" "}
          </Fragment>
        ))}
      </p>
    </div>
  );
}

const tonePaint: Record<Tone, string> = {
  pending: "bg-pending",
  flight: "bg-flight",
  done: "bg-done",
  retry: "bg-retry",
  failed: "bg-failed",
  stale: "bg-stale",
};

/** Decorative: the text below has the same content. */
function Bar({ operation: { action, total, done, skipped, failed }, parts }: { operation: Operation; parts: readonly Part[] }) {
  const known = parts.reduce((sum, { count }) => sum + count, 0);
  const segments = [
    ...parts.toReversed().map(({ name, tone, count }) => ({ name, paint: tonePaint[tone], count })),
    // Rows without a known outcome.
    { name: "done", paint: action === "discard" ? "bg-accent" : "bg-faint", count: Math.max(0, done - known) },
    { name: "skipped", paint: "bg-faint", count: skipped },
    { name: "refused", paint: "bg-failed", count: failed },
  ];
  return (
    <div aria-hidden="true" className="flex h-1.5 w-full overflow-hidden rounded-full bg-raised">
      {segments.map(({ name, paint, count }) => (
        <span key={name} className={paint} style={{ width: `${(100 * count) / Math.max(total, 1)}%` }} />
      ))}
    </div>
  );
}
