/** Where a sign-in leads back to: a path of our own, or the start page. Whatever tricks a URL plays, it stays on this origin. */
export function returnPath(wanted: string | undefined, origin: string): string {
  if (wanted === undefined || !wanted.startsWith("/")) return "/";
  const url = URL.parse(wanted, origin);
  // `/..//host` and `/\host` become `//host`, which a browser takes for another host.
  if (!url || url.origin !== origin || url.pathname.startsWith("//")) return "/";
  return `${url.pathname}${url.search}${url.hash}`;
}
