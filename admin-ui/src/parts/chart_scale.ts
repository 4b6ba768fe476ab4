/** The ends of an axis. Values above the top are drawn at the top and marked. */
export interface Scale {
  readonly bottom: number;
  readonly top: number;
}

// A value this far above nearly all others is an outlier. A scale that includes it would flatten the others.
const usual = 0.95;
const farAbove = 4;
// At least two powers of ten, so that small variations look small.
const leastSpan = 100;

const powerBelow = (value: number) => 10 ** Math.floor(Math.log10(value));
const powerAbove = (value: number) => 10 ** Math.ceil(Math.log10(value));

/** A logarithmic scale in milliseconds that ignores outliers. Charts that are compared share one scale. */
export function timeScaleOf(values: readonly number[]): Scale {
  const known = values.filter(value => value > 0).toSorted((a, b) => a - b);
  const least = Math.max(1, known[0] ?? 1);
  const limit = (known[Math.floor(usual * (known.length - 1))] ?? 1) * farAbove;
  const most = Math.max(least, known.findLast(value => value <= limit) ?? least);
  const bottom = powerBelow(least);
  return { bottom, top: Math.max(bottom * leastSpan, powerAbove(most)) };
}

/** From zero to 10 % above the highest value. */
export const countScaleOf = (values: readonly number[]): Scale => ({
  bottom: 0,
  top: Math.max(4, values.reduce((most, value) => Math.max(most, value), 0) * 1.1),
});

/** The highest value above the scale, if any. */
export function beyond(values: readonly (number | null)[], { top }: Scale): number | undefined {
  const most = values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0);
  return most > top ? most : undefined;
}
