/** The numbers of one run. Only their ratios are comparable between machines. */
export interface Figure {
  readonly what: string;
  readonly value: string;
  readonly against: string;
  readonly ratio: number | undefined;
  readonly goal: string;
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100))] ?? Number.NaN;
}

export const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

export const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
export const perSecond = (value: number) => `${Math.round(value).toLocaleString("en")}/s`;

/** Runs `work` in `lanes` lanes until `count` calls were made. Returns calls per second. */
export async function throughput(lanes: number, count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const since = performance.now();
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (count * 1000) / (performance.now() - since);
}

/** The times of `count` sequential calls in milliseconds, with an optional pause after each. */
export async function timings(count: number, work: (n: number) => Promise<unknown>, rest = 0): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const since = performance.now();
    await work(n);
    times.push(performance.now() - since);
    if (rest > 0) await Bun.sleep(rest);
  }
  return times;
}

/** The times of two functions that measure themselves, called in turns, without the first `warm` of each. */
export async function timesInTurns(
  count: number,
  warm: number,
  ...works: readonly [(n: number) => Promise<number>, (n: number) => Promise<number>]
): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < count; n++) for (const turn of n % 2 === 0 ? [0, 1] : [1, 0]) times[turn]!.push(await works[turn]!(n));
  return [times[0].slice(warm), times[1].slice(warm)];
}

export function printTable(figures: readonly Figure[]): void {
  console.log("| what | measured | against | ratio | to reach |\n|---|---|---|---|---|");
  for (const { what, value, against, ratio, goal } of figures)
    console.log(`| ${what} | ${value} | ${against} | ${ratio === undefined ? "" : ratio.toFixed(2)} | ${goal} |`);
}
