/** The loaded pages of a list, newest first, and whether more pages exist. */
export interface Part<T> {
  readonly rows: readonly T[];
  readonly hasMore: boolean;
}

/** Merges lists, newest first. Rows older than the end of an incomplete list are held back: unloaded rows may belong before them. */
export function mergeNewest<T>(parts: readonly Part<T>[], timeOf: (row: T) => string): T[] {
  const ends = parts.flatMap(({ rows, hasMore }) => (hasMore && rows.length > 0 ? [timeOf(rows.at(-1)!)] : []));
  const bound = ends.toSorted().at(-1) ?? "";
  return parts
    .flatMap(({ rows }) => rows)
    .filter(row => timeOf(row) >= bound)
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
}
