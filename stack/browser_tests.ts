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
  /** Playwright's tests in `e2e/`, all or the named ones, against a system of their own. */
  run(names: readonly string[]): Promise<Tally>;
  /** Ends all processes and deletes all files. May be called twice. */
  stop(): Promise<void>;
}

export interface BrowserTestsOptions {
  readonly name: string;
  /** Playwright's configuration in `e2e/`. */
  readonly config: string;
  /** Settings of the system for these tests. */
  readonly settings: Record<string, string>;
  readonly show?: Show;
}

export const usual: BrowserTestsOptions = {
  name: "tests in a browser",
  config: "playwright.config.ts",
  settings: {
    // Few attempts: the tests need failed rows soon, and repair them.
    NOTIFICATION_MAX_ATTEMPTS: "2",
    OUTBOX_MAX_ATTEMPTS: "2",
    // The usual queues, and one whose tickets expire soon.
    MATCHMAKING_MODES: "casual:fifo:60s,rank:rating:60s,short:fifo:2s",
    // An erasure takes several rounds.
    ERASURE_EVERY: "500ms",
    // Other tests run beside these: a busy machine is not an outage.
    REDIS_DEADLINE: "3s",
    GATEWAY_DEADLINE: "8s",
    TRACE_VIEWER_URL: "http://127.0.0.1:16686/trace/{trace_id}",
  },
};

/** The stack of `bun run dev` in a folder of its own, with a browser in front. */
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
    ready: async () => existsSync(envFile), // written last, before the addresses are printed
    readyWithin: 180_000, // a first start may have to download servers
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

/** With Node if it is installed: Playwright does not support Bun. */
function playwright(config: string, names: readonly string[]): string[] {
  const cli = join(checkout, "node_modules", "@playwright", "test", "cli.js");
  return [Bun.which("node") ?? process.execPath, cli, "test", "--config", join("e2e", config), ...names];
}
