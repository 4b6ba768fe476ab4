import { Link } from "@tanstack/react-router";
import { kindOf } from "../systems.ts";
import { Actor, isPerson } from "./actor.tsx";
import { gapOf, gapText } from "./causal_order.ts";
import { exact } from "./format.ts";
import { Icon } from "./icons.tsx";
import { Repair } from "./repair.tsx";
import { useSettings } from "./settings.ts";
import { toneText } from "./state_mark.tsx";
import type { Step } from "./step.ts";

// A longer gap is highlighted.
const longGap = 10_000;

/** A vertical timeline: each step with its time, the gap to the previous step and the actor. Missing steps are greyed out. */
export function Line({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="px-4 py-5 md:px-6">
      {steps.map((step, index) => (
        <LineStep key={step.key} step={step} before={steps[index - 1]} isLast={index === steps.length - 1} />
      ))}
    </ol>
  );
}

function LineStep({ step, before, isLast }: { step: Step; before: Step | undefined; isLast: boolean }) {
  const { at, tone, title, who, text, speaksOf, error, ticket, notification, missing = "not yet" } = step;
  const gap = gapOf(step, before);
  const isLong = gap !== undefined && gap > longGap && !step.isUnhurried;
  const isMissing = at === null && tone !== "failed";
  const isQuiet = isMissing && tone === "pending";
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 md:grid-cols-[13rem_5rem_1.5rem_minmax(0,1fr)]">
      <StepTime at={at} />
      <span className={`mono hidden pt-px text-right md:block ${isLong ? "font-semibold text-retry" : "text-faint"}`}>
        <Gap gap={gap} />
      </span>
      <span className="relative row-span-2 flex justify-center md:row-span-1">
        {!isLast && (
          <span className={`absolute top-6 -bottom-px w-px ${isMissing ? "border-l border-dashed border-faint" : "bg-faint/40"}`} />
        )}
        <span className={`mt-0.5 ${isQuiet ? "text-faint" : toneText[tone]}`}>
          <Icon name={tone} className="size-[1.125rem]" />
        </span>
      </span>
      <div className={`min-w-0 ${isLast ? "" : "pb-4"}`}>
        <p className={isQuiet ? "text-faint" : `font-medium ${isMissing || tone === "failed" || tone === "retry" ? toneText[tone] : ""}`}>
          {title}
          {isMissing && ` – ${missing}`}
        </p>
        <p className="mono text-faint md:hidden">
          {at && <ShortTime at={at} />} <Gap gap={gap} />
        </p>
        {(text || speaksOf || who || ticket || notification) && (
          <p className="flex flex-wrap gap-x-3 text-soft">
            {text && <span className="min-w-0 break-words">{text}</span>}
            {speaksOf && (
              <span>
                {speaksOf.word} <ShortTime at={speaksOf.at} />
              </span>
            )}
            {ticket && (
              <Link to="/matchmaking/tickets/$id" params={{ id: ticket }} className="link">
                Ticket
              </Link>
            )}
            {notification && (
              <Link to="/$kind/$id" params={{ kind: "notifications", id: notification }} className="link">
                Notification
              </Link>
            )}
            {who && (
              <span className="text-faint">by {isPerson(who) ? <Actor id={who} /> : <span className="mono break-all">{who}</span>}</span>
            )}
          </p>
        )}
        {error && (
          <p className="mono mt-1 w-fit max-w-full rounded border-l-2 border-failed bg-failed-ground px-2 py-1 break-words text-failed">
            {error}
          </p>
        )}
        <StepActions step={step} />
      </div>
    </li>
  );
}

function StepActions({ step: { row, letter, unknownOrder } }: { step: Step }) {
  if (!row && !letter && !unknownOrder) return null;
  return (
    <div className="mt-2 max-w-2xl *:!mb-0">
      {row && <Repair {...row} kind={kindOf(row.kind)} />}
      {letter && (
        <Link to="/failures/unreadable/$id" params={{ id: letter }} className="link">
          Message and actions
        </Link>
      )}
      {unknownOrder && (
        <Link to="/$kind/$id" params={{ kind: "orders", id: unknownOrder }} className="link">
          Order and actions
        </Link>
      )}
    </div>
  );
}

function Gap({ gap }: { gap: number | undefined }) {
  if (gap === undefined) return null;
  const why = gap < 0 ? "Recorded by another system, or later. The steps are in causal order" : undefined;
  return <span title={why}>{gapText(gap)}</span>;
}

function StepTime({ at }: { at: string | null }) {
  const { zone } = useSettings();
  return <span className="mono hidden pt-px text-right text-soft md:block">{at ? <time dateTime={at}>{exact(at, zone)}</time> : "–"}</span>;
}

function ShortTime({ at }: { at: string }) {
  const { zone } = useSettings();
  return <time dateTime={at}>{exact(at, zone)}</time>;
}
