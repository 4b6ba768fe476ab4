// `bun run screenshots`: the whole system with a day of data, and screenshots of every page of the console in `.stack/screenshots`.
// `--readme`: only the three of the README, into `docs/images`. Other arguments are passed to Playwright (`-g seldom`).
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { browserTests } from "./browser_tests.ts";
import { checkout, stackHome } from "./checkout.ts";
import { buildConsole } from "./console.ts";
import { forgetDeadRuns } from "./dead_runs.ts";
import { answerHelp } from "./help.ts";
import { endWithLaunchers, stopSignals } from "./launcher.ts";
import { startWatchdog } from "./watchdog.ts";

answerHelp(
  `usage: npx bun run screenshots [--readme]

Fills a system of its own with a few hours of work and writes pictures of every page of the console to .stack/screenshots.
--readme: only the pictures of the README, to docs/images.`,
  { takes: argument => argument === "--readme" },
);

endWithLaunchers();
const onlyReadme = process.argv.includes("--readme");
const folder = onlyReadme ? join(checkout, "docs", "images") : join(stackHome, "screenshots");

await forgetDeadRuns();
if (!onlyReadme) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await buildConsole(line => console.log(line));
const watchdog = startWatchdog();
const pictures = browserTests({ ...process.env, KENRI_PICTURES: folder, KENRI_PICTURES_ONLY: onlyReadme ? "readme" : "" }, watchdog, {
  name: "pictures of the console",
  config: "pictures.config.ts",
  // Slow bulk operations, so that one is still running in its screenshot.
  settings: { BULK_BATCH: "2", BULK_PACE: "12s" },
});
for (const signal of stopSignals()) process.on(signal, () => void pictures.stop().then(() => process.exit(130)));
const { failed } = await pictures.run(process.argv.slice(2).filter(argument => argument !== "--readme"));
watchdog.close();
if (failed === 0) console.log(`screenshots: ${folder}`);
process.exit(failed === 0 ? 0 : 1);
