import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { buildConsole } from "./console.ts";

const dist = join(checkout, "admin-ui", "dist");
const mostInitialBytes = 250_000;

test("the console is built once for the same sources", async () => {
  await buildConsole(() => {});
  const said: string[] = [];
  await buildConsole(line => said.push(line));
  expect(said).toEqual([]);
});

test("the initial bundle is small; pages are loaded when they are opened", () => {
  const page = readFileSync(join(dist, "index.html"), "utf8");
  const scripts = [...page.matchAll(/"\/admin\/(assets\/[^"]+\.js)"/g)].map(([, path]) => readFileSync(join(dist, path!)));
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.reduce((sum, script) => sum + Bun.gzipSync(script).length, 0)).toBeLessThan(mostInitialBytes);
  expect(page).not.toContain("journey");
});
