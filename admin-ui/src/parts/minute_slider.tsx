import { clock } from "./format.ts";
import type { Pointing } from "./series_cell.tsx";
import { useSettings } from "./settings.ts";

interface MinuteSliderProps extends Pointing {
  readonly minutes: readonly { readonly minute: string }[];
  /** The values of a minute in words. */
  readonly wordsOf: (place: number) => string;
}

/** Selects a minute in all charts by keyboard. Visible only while it has the focus. */
export function MinuteSlider({ minutes, wordsOf, at, point }: MinuteSliderProps) {
  const { zone } = useSettings();
  const last = minutes.length - 1;
  const place = Math.min(at ?? last, last);
  return (
    <label className="sr-only items-center gap-2 text-soft focus-within:not-sr-only focus-within:flex">
      Minute
      <input
        type="range"
        min={0}
        max={last}
        value={place}
        aria-valuetext={`${clock(Date.parse(minutes[place]!.minute), zone)}: ${wordsOf(place)}`}
        onChange={event => point(Number(event.target.value))}
        onFocus={() => point(place)}
        onBlur={() => point(null)}
        className="w-40 accent-accent"
      />
    </label>
  );
}
