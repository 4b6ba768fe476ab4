/** A list that came in pages, newest first, and whether there is more of it. */
export interface Part<T> {
  readonly rows: readonly T[];
  readonly hasMore: boolean;
}

/** Several lists as one, newest first. What is older than the end of a list that has more is held back: something may belong before it. */
export function mergeNewest<T>(parts: readonly Part<T>[], timeOf: (row: T) => string): T[] {
  const ends = parts.flatMap(({ rows, hasMore }) => (hasMore && rows.length > 0 ? [timeOf(rows.at(-1)!)] : []));
  const bound = ends.toSorted().at(-1) ?? "";
  return parts
    .flatMap(({ rows }) => rows)
    .filter(row => timeOf(row) >= bound)
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
}
