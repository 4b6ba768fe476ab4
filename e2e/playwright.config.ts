import { join } from "node:path";
import { defineConfig } from "@playwright/test";

/**
 * `bun run e2e` starts the whole system, finds a browser and passes its path. `bun run e2e <name> --trace retain-on-failure` also keeps traces of failed
 * tests; they double the CPU time.
 */
export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: join(import.meta.dirname, "..", ".stack", "e2e"),
  workers: 1,
  retries: 0,
  forbidOnly: true,
  timeout: 30_000,
  expect: { timeout: 5_000 },
  reporter: "list",
  use: {
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.KENRI_BROWSER,
      // No sandbox, so that it runs as root and in containers; it opens own pages only. The other flags prevent requests to the internet.
      args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--disable-gpu"],
    },
  },
});
