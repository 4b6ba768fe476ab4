/** The ends of an axis. What lies beyond the top is drawn at the top and marked. */
export interface Scale {
  readonly bottom: number;
  readonly top: number;
}

// So far above nearly all others, a value is an outlier: a scale that reaches it would press the others together.
const usual = 0.95;
const farAbove = 4;
// Two powers of ten at least, so that a quiet hour does not look like a wild one.
const leastSpan = 100;

const powerBelow = (value: number) => 10 ** Math.floor(Math.log10(value));
const powerAbove = (value: number) => 10 ** Math.ceil(Math.log10(value));

/** A logarithmic scale of milliseconds for all but the outliers. The same for charts that are compared. */
export function timeScaleOf(values: readonly number[]): Scale {
  const known = values.filter(value => value > 0).toSorted((a, b) => a - b);
  const least = Math.max(1, known[0] ?? 1);
  const limit = (known[Math.floor(usual * (known.length - 1))] ?? 1) * farAbove;
  const most = Math.max(least, known.findLast(value => value <= limit) ?? least);
  const bottom = powerBelow(least);
  return { bottom, top: Math.max(bottom * leastSpan, powerAbove(most)) };
}

/** From zero, with a little room above the highest. */
export const countScaleOf = (values: readonly number[]): Scale => ({
  bottom: 0,
  top: Math.max(4, values.reduce((most, value) => Math.max(most, value), 0) * 1.1),
});

/** The highest value that the scale leaves out. */
export function beyond(values: readonly (number | null)[], { top }: Scale): number | undefined {
  const most = values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0);
  return most > top ? most : undefined;
}
