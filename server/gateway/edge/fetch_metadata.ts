/**
 * Whether another site's page makes the browser send this request without the person going here: an image, a script, a frame, a fetch or a
 * prefetch. A link, a form or a redirect in the browser's own tab is a navigation to a document and is none of these. Browsers that do not say
 * where a request comes from, and programs, send no such headers.
 */
export function isForeignSubresource({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return false;
  const isPrefetch = /\bprefetch\b/i.test(headers.get("sec-purpose") ?? headers.get("purpose") ?? "");
  return isPrefetch || headers.get("sec-fetch-mode") !== "navigate" || headers.get("sec-fetch-dest") !== "document";
}
