/** What was found against an invariant: how many rows, the oldest of them, and a few to look at. */
export interface Finding {
  readonly count: number;
  readonly more: boolean;
  readonly oldest: string | null;
  readonly sample: readonly string[];
}

/** `watch`: it should pass by itself. `broken`: something went wrong that never should. */
export type InvariantState = "ok" | "watch" | "broken";

/** Something that always holds, or soon will again. */
export interface Invariant {
  readonly name: string;
  /** What it means, in a sentence. */
  readonly about: string;
  /** What is looked at, if not everything. */
  readonly bounded?: string;
  readonly look: () => Promise<readonly Finding[]>;
  /** What it means that there are some. */
  readonly judge: (finding: Finding) => InvariantState;
}

export const always =
  (state: InvariantState) =>
  (_: Finding): InvariantState =>
    state;

/** Broken only if the oldest is there for longer than it may take to be put right. */
export const brokenAfter =
  (milliseconds: number, now: () => number = Date.now) =>
  ({ oldest }: Finding): InvariantState =>
    oldest !== null && now() - Date.parse(oldest) > milliseconds ? "broken" : "watch";

/** Looks at every invariant, side by side. */
export const examine = (invariants: readonly Invariant[]) =>
  Promise.all(
    invariants.map(async ({ name, about, bounded = null, look, judge }) => {
      const finding = (await look())[0]!;
      const { count, more, oldest, sample } = finding;
      return { name, about, bounded, count: { count, more }, oldest, sample, state: count === 0 ? "ok" : judge(finding) };
    }),
  );

/** However many rows there are, a count goes no further, and a look at the newest no deeper. */
export const most = 10_000;
export const newest = 1000;

/** In words for people: 1,000. */
export const many = (rows: number): string => rows.toLocaleString("en");
