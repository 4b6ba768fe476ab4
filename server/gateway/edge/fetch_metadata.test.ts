import { expect, test } from "bun:test";
import { isForeignSubresource } from "./fetch_metadata.ts";

const from = (site: string, mode: string, dest: string, more = {}) => ({
  "sec-fetch-site": site,
  "sec-fetch-mode": mode,
  "sec-fetch-dest": dest,
  ...more,
});

test.each([
  ["an old browser or a program", {}, false],
  ["the address bar", from("none", "navigate", "document"), false],
  ["a link on our page", from("same-origin", "navigate", "document"), false],
  ["a fetch of our page", from("same-origin", "cors", "empty"), false],
  ["an event stream of our page", from("same-origin", "cors", "empty", { accept: "text/event-stream" }), false],
  ["a link or redirect elsewhere", from("cross-site", "navigate", "document"), false],
  ["a link on a sibling host", from("same-site", "navigate", "document"), false],
  ["an image elsewhere", from("cross-site", "no-cors", "image"), true],
  ["a script elsewhere", from("cross-site", "no-cors", "script"), true],
  ["a fetch elsewhere", from("cross-site", "cors", "empty"), true],
  ["a frame elsewhere", from("cross-site", "navigate", "iframe"), true],
  ["an object elsewhere", from("cross-site", "navigate", "object"), true],
  ["an image on a sibling host", from("same-site", "no-cors", "image"), true],
  ["a prefetch elsewhere", from("cross-site", "no-cors", "empty", { "sec-purpose": "prefetch" }), true],
  ["a prerender elsewhere", from("cross-site", "navigate", "document", { "sec-purpose": "prefetch;prerender" }), true],
  ["a browser that says only where from", { "sec-fetch-site": "cross-site" }, true],
])("%s", (_, headers, isForeign) => {
  expect(isForeignSubresource(new Request("http://127.0.0.1/login", { headers }))).toBe(isForeign);
});
