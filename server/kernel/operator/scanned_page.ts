/** The matching rows of a page, and the row after which the next page starts, if there may be one. */
export function scannedPage<Row extends { readonly matches: boolean; readonly examined: number }>(
  rows: readonly Row[],
  limit: number,
  scanned: number,
) {
  const page = rows.filter(row => row.matches).slice(0, limit);
  const end = rows.at(-1);
  const last = rows.length > limit ? rows[limit - 1] : end?.examined === scanned ? end : undefined;
  return { page: page.map(({ matches, examined, ...row }) => row), last };
}
