// `bun run dev:reset`: deletes the dev stack's data.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { devHome } from "./checkout.ts";
import { answerHelp } from "./help.ts";
import { endLeftover } from "./leftover.ts";
import { holderOf } from "./lock.ts";
import { forgetPrograms } from "./postgres_home.ts";
import { forgetStack, serverNames } from "./stack.ts";

answerHelp(`usage: npx bun run dev:reset

Deletes the data of \`npx bun run dev\`: databases, streams, sessions, the paper broker's book and the API key. Refuses while it runs.`);

const dir = join(devHome, "dev");
const envFile = join(devHome, "dev.env");

const holder = holderOf(dir);
if (holder !== undefined) {
  console.error(`\`bun run dev\` is running (pid ${holder}): stop it first`);
  process.exit(1);
}
for (const server of ["kenri", "prometheus"]) await endLeftover(dir, server);
for (const server of serverNames) await endLeftover(dir, server, "SIGINT");
const there = existsSync(dir) || existsSync(envFile);
if (there) {
  const deleted = [...forgetStack(dir), ...forgetPrograms(), envFile];
  rmSync(envFile, { force: true });
  console.log(`deleted:\n${deleted.map(place => `  ${place}`).join("\n")}`);
} else {
  console.log("nothing to delete");
}
