/** Where a sign-in returns to: a path of this origin, otherwise the start page. */
export function returnPath(wanted: string | undefined, origin: string): string {
  if (wanted === undefined || !wanted.startsWith("/")) return "/";
  const url = URL.parse(wanted, origin);
  // `/..//host` and `/\host` become `//host`, which browsers read as another host.
  if (!url || url.origin !== origin || url.pathname.startsWith("//")) return "/";
  return `${url.pathname}${url.search}${url.hash}`;
}
