import { Icon } from "./icons.tsx";
import type { State, Tone } from "./row_kinds.ts";

export const toneText: Record<Tone, string> = {
  pending: "text-pending",
  flight: "text-flight",
  done: "text-done",
  retry: "text-retry",
  failed: "text-failed",
  stale: "text-stale",
};

/** A colour, an icon and a word. */
export function StateMark({ state: { tone, word }, isQuiet = false }: { state: Pick<State, "tone" | "word">; isQuiet?: boolean }) {
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium ${isQuiet ? "text-faint" : toneText[tone]}`}>
      <Icon name={tone} className="size-3.5" />
      {word}
    </span>
  );
}
