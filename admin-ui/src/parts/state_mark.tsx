import { Icon, type IconName } from "./icons.tsx";
import type { State, Tone } from "./row_kinds.ts";

export const toneText: Record<Tone, string> = {
  pending: "text-pending",
  flight: "text-flight",
  done: "text-done",
  retry: "text-retry",
  failed: "text-failed",
  stale: "text-stale",
};

export interface StateMarkProps {
  /** `icon`: if it is not the one of the tone. */
  readonly state: Pick<State, "tone" | "word"> & { readonly icon?: IconName };
  readonly isQuiet?: boolean;
}

/** A colour, an icon and a word. */
export function StateMark({ state: { tone, word, icon = tone }, isQuiet = false }: StateMarkProps) {
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium ${isQuiet ? "text-faint" : toneText[tone]}`}>
      <Icon name={icon} className="size-3.5" />
      {word}
    </span>
  );
}
