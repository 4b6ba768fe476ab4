/** The rows that break an invariant: how many, the oldest of them, and a few ids. */
export interface Finding {
  readonly count: number;
  readonly more: boolean;
  readonly oldest: string | null;
  readonly sample: readonly string[];
}

/** `watch`: it should pass by itself. `broken`: it needs attention. */
export type InvariantState = "ok" | "watch" | "broken";

/** Something that always holds, or soon holds again. */
export interface Invariant {
  readonly name: string;
  /** What it means, in a sentence. */
  readonly about: string;
  /** Which rows are examined, if not all. */
  readonly bounded?: string;
  readonly look: () => Promise<readonly Finding[]>;
  /** What it means that some rows break it. */
  readonly judge: (finding: Finding) => InvariantState;
}

export const always =
  (state: InvariantState) =>
  (_: Finding): InvariantState =>
    state;

/** Broken only if the oldest row is older than the time that the repair may take. */
export const brokenAfter =
  (milliseconds: number, now: () => number = Date.now) =>
  ({ oldest }: Finding): InvariantState =>
    oldest !== null && now() - Date.parse(oldest) > milliseconds ? "broken" : "watch";

/** Examines every invariant, in parallel. */
export const examine = (invariants: readonly Invariant[]) =>
  Promise.all(
    invariants.map(async ({ name, about, bounded = null, look, judge }) => {
      const finding = (await look())[0]!;
      const { count, more, oldest, sample } = finding;
      return { name, about, bounded, count: { count, more }, oldest, sample, state: count === 0 ? "ok" : judge(finding) };
    }),
  );

/** The limit of a count, and how many of the newest rows are examined. */
export const most = 10_000;
export const newest = 1000;

/** With separators: 1,000. */
export const many = (rows: number): string => rows.toLocaleString("en");
