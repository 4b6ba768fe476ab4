import { existsSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "./browser.ts";
import { checkout } from "./checkout.ts";
import { readDevEnv } from "./dev_env.ts";
import { scratchFolder } from "./scratch.ts";
import { superviseServer } from "./server_process.ts";
import { forgetStack } from "./stack.ts";
import { onTerminal, type Show, type StepRunner, stepRunner, type Tally } from "./test_step.ts";
import type { Watchdog } from "./watchdog.ts";

export interface BrowserTests {
  /** Playwright's tests in `e2e/`, all or those with these names, against a system of their own. */
  run(names: readonly string[]): Promise<Tally>;
  /** Leaves nothing running and nothing behind. Twice is fine. */
  stop(): Promise<void>;
}

export interface BrowserTestsOptions {
  readonly name: string;
  /** Playwright's, in `e2e/`. */
  readonly config: string;
  /** Settings of the system that others would not choose. */
  readonly settings: Record<string, string>;
  readonly show?: Show;
}

export const usual: BrowserTestsOptions = {
  name: "tests in a browser",
  config: "playwright.config.ts",
  // What fails there fails soon for good: the tests put it right.
  settings: { NOTIFICATION_MAX_ATTEMPTS: "2", OUTBOX_MAX_ATTEMPTS: "2" },
};

/** What `bun run dev` starts, in a home of its own, with a browser in front. */
export function browserTests(
  env: Record<string, string | undefined>,
  watchdog: Watchdog,
  { name, config, settings, show = onTerminal }: BrowserTestsOptions = usual,
): BrowserTests {
  const home = scratchFolder();
  const envFile = join(home, "dev.env");
  const say = (line: string) => show(`${line}\n`);
  const dev = superviseServer({
    name: "dev",
    dir: home,
    command: [process.execPath, join("stack", "dev.ts")],
    cwd: checkout,
    env: { ...env, KENRI_DEV_HOME: home, ...settings },
    ready: async () => existsSync(envFile), // the last thing it does before it tells a person
    readyWithin: 180_000, // a first start may have to fetch servers
    stopWithin: 30_000,
    watchdog,
  });
  dev.restart = false;
  let steps: StepRunner | undefined;

  async function stop(): Promise<void> {
    steps?.abort();
    await dev.stop();
    if (process.env.KENRI_KEEP) return say(`kept until the next run: ${home}`);
    forgetStack(join(home, "dev"));
    forgetStack(home);
  }

  return {
    async run(names) {
      try {
        const KENRI_BROWSER = await findBrowser({ say });
        say(`${name}: starting the system`);
        await dev.start();
        steps = stepRunner({ ...env, ...readDevEnv(envFile), KENRI_BROWSER, KENRI_BUN: process.execPath }, watchdog, show);
        return await steps.tests(name, playwright(config, names));
      } catch (error) {
        say(`FAIL  ${name}: ${(error as Error).message}`);
        return { passed: 0, failed: 1 };
      } finally {
        await stop();
      }
    },
    stop,
  };
}

/** Under Node where there is one: Playwright does not know Bun. */
function playwright(config: string, names: readonly string[]): string[] {
  const cli = join(checkout, "node_modules", "@playwright", "test", "cli.js");
  return [Bun.which("node") ?? process.execPath, cli, "test", "--config", join("e2e", config), ...names];
}
