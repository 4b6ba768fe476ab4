import { useEffect, useRef } from "react";
import type { Count, Counts, Filter } from "../../api/answers.ts";
import { count, sumOf } from "../../parts/format.ts";
import { Icon, type IconName } from "../../parts/icons.tsx";
import { countIn, tabsOf } from "../../parts/row_kinds.ts";
import { toneText } from "../../parts/state_mark.tsx";
import type { Kind } from "../../systems.ts";

export interface StateTabsProps {
  readonly kind: Kind;
  readonly filter: Filter;
  readonly counts: Counts | undefined;
  readonly choose: (status: string | undefined) => void;
}

/** The states with their counts under the same filters as the list. */
export function StateTabs({ kind, filter, counts, choose }: StateTabsProps) {
  const all = counts && sumOf(Object.values(counts.counts));
  return (
    <fieldset aria-label="State" className="-mb-1 flex min-w-0 gap-1 overflow-x-auto border-b">
      <Tab word="All" isChosen={filter.status === undefined} value={all} choose={() => choose(undefined)} />
      {tabsOf(kind).map(state => (
        <Tab
          key={state.name}
          word={state.word}
          icon={state.tone}
          isChosen={filter.status === state.name}
          value={countIn(counts, state)}
          alarm={state.tone === "failed" || state.tone === "retry" ? toneText[state.tone] : undefined}
          choose={() => choose(state.name)}
        />
      ))}
    </fieldset>
  );
}

interface TabProps {
  readonly word: string;
  readonly icon?: IconName & keyof typeof toneText;
  readonly isChosen: boolean;
  readonly value: Count | undefined;
  /** The colour of a number that should be 0. */
  readonly alarm?: string | undefined;
  readonly choose: () => void;
}

function Tab({ word, icon, isChosen, value, alarm, choose }: TabProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isKnown = value !== undefined;
  // On a phone the chosen tab may be outside the visible part.
  // biome-ignore lint/correctness/useExhaustiveDependencies: also after the counts have made the tabs wider
  useEffect(() => {
    if (isChosen) button.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isChosen, isKnown]);
  return (
    <button
      ref={button}
      type="button"
      aria-pressed={isChosen}
      onClick={choose}
      className={`flex h-9 shrink-0 items-center gap-1.5 border-b-2 px-3 ${isChosen ? "border-accent font-semibold" : "border-transparent text-soft hover:text-ink"}`}
    >
      {icon && <Icon name={icon} className={`size-3.5 ${toneText[icon]}`} />}
      {word}
      <span className={`mono ${alarm && value && value.count > 0 ? `font-semibold ${alarm}` : "text-faint"}`}>
        {value ? count(value) : "·"}
      </span>
    </button>
  );
}
