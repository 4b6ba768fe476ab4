import { afterAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "./browser.ts";
import { writeLauncher } from "./browser_launcher.ts";
import { run } from "./command.ts";
import { scratchFolder } from "./scratch.ts";

const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const say = () => {};

function fakeProgram(place: string, name: string, script: string): string {
  mkdirSync(join(folder, place), { recursive: true });
  writeFileSync(join(folder, place, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return join(folder, place);
}

test("Playwright's own browser comes first, then an installed one; a stub that only prints advice is skipped", async () => {
  const own = join(fakeProgram("own", "chrome", 'echo "Google Chrome for Testing 150.0.1"'), "chrome");
  const stub = fakeProgram("stub", "chromium-browser", 'echo "install the snap of Chromium 1.0"; exit 1');
  const chrome = fakeProgram("chrome", "google-chrome", 'echo "Google Chrome 150.0.1"');
  expect(await findBrowser({ say, path: chrome, playwright: own })).toBe(own);
  expect(await findBrowser({ say, path: `${stub}:${chrome}`, playwright: "/nowhere" })).toBe(join(chrome, "google-chrome"));
});

test("a browser is downloaded once", async () => {
  const home = join(folder, "home");
  const place = fakeProgram("home/browser-npm", "chromium.sh", 'echo "Chromium 153.0.1"');
  const said: string[] = [];
  expect(await findBrowser({ say: line => said.push(line), path: "", playwright: "/nowhere", home })).toBe(join(place, "chromium.sh"));
  expect(said).toEqual([]);
});

test("the launcher passes arguments, libraries and fonts, whatever the name of the folder", async () => {
  const place = fakeProgram("it's here", "program", 'echo "$LD_LIBRARY_PATH|$FONTCONFIG_FILE|$1|$2"');
  writeLauncher({ folder: place, program: join(place, "program"), libraries: join(place, "lib"), fonts: join(place, "fonts") });
  const { output } = await run([join(place, "chromium.sh"), "a b", "$c"]);
  expect(output).toBe(`${join(place, "lib")}|${join(place, "fonts.conf")}|a b|$c`);
});

test("without a browser, the message says what to install", async () => {
  const blocked = join(folder, "blocked");
  writeFileSync(blocked, "a file where a folder should be");
  await expect(findBrowser({ say, path: "", playwright: "/nowhere", home: blocked })).rejects.toThrow(/playwright install/);
});
