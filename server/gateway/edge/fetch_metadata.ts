/**
 * Whether a page of another site loads this as an image, a script, a frame, a fetch or a prefetch. A link, a form or a redirect in the browser's
 * own tab is a navigation to a document and is allowed. Programs and old browsers send no such headers and are allowed.
 */
export function isForeignSubresource({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return false;
  const isPrefetch = /\bprefetch\b/i.test(headers.get("sec-purpose") ?? headers.get("purpose") ?? "");
  return isPrefetch || headers.get("sec-fetch-mode") !== "navigate" || headers.get("sec-fetch-dest") !== "document";
}
