// `bun run test`: every check and every test against real servers. With arguments: only those tests (`bun run test server/kernel`).
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { checkout, stackHome } from "./checkout.ts";
import { endLeftover } from "./leftover.ts";
import { holderOf } from "./lock.ts";
import { alive } from "./process_table.ts";
import { forgetStack, startStack } from "./stack.ts";
import { stepRunner, type Tally } from "./test_step.ts";

const bun = process.execPath;
const program = (name: string) => [bun, join(checkout, "node_modules", ".bin", name)];

const checks: [name: string, command: string[]][] = [
  ["format and lint", [...program("biome"), "ci", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."]],
  ["types", [...program("tsc"), "--noEmit", "-p", "."]],
  ["SQL files fit the schema, generated types are current", [bun, "server/generate.ts", "--verify"]],
  ["protobuf lint", [...program("buf"), "lint"]],
  ["protobuf: generated code is current, nothing breaks", [bun, "proto/verify.ts"]],
];
const testFolders = ["server", "stack", "bench", "proto", "patches"].filter(folder => existsSync(join(checkout, folder)));

const chosen = process.argv.slice(2);
await forgetDeadRuns();
const dir = join(stackHome, `test-${process.pid}`);
const stack = await startStack({ dir, servers: ["postgres", "nats"], say: line => console.log(line), environment: {} });
let interruptedAt = 0;
const steps = stepRunner(testEnvironment(), stack.watchdog);
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => void interrupted());

const total: Tally = { passed: 0, failed: 0 };
const add = (tally: Tally) => {
  total.passed += tally.passed;
  total.failed += tally.failed;
};
if (chosen.length === 0) for (const [name, command] of checks) add(await steps.check(name, command));
const wanted = chosen.length > 0 ? chosen : testFolders.map(folder => `./${folder}/`);
add(await steps.tests("tests", [bun, "test", "--timeout", "60000", ...wanted]));
await close();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

async function close(): Promise<void> {
  await stack.stop();
  if (process.env.KENRI_KEEP) console.log(`kept until the next run: ${dir}`);
  else forgetStack(dir);
}

async function interrupted(): Promise<void> {
  if (interruptedAt > 0 && performance.now() - interruptedAt > 1_000) process.exit(130); // asked again: the watchdog ends the rest
  if (interruptedAt > 0) return; // one Ctrl-C arrives twice: from the terminal, and passed on by `bun run`
  interruptedAt = performance.now();
  steps.abort();
  await close();
  process.exit(130);
}

/** Only this run's servers: nothing of the caller's environment may point the tests at other data. */
function testEnvironment(): Record<string, string | undefined> {
  const foreign = /^(NATS|REDIS|KENRI_ENV|ENTITLEMENT_|NOTIFICATION_|ACCOUNT_|MATCHMAKING_|ORDERS_|GATEWAY_)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return {
    ...Object.fromEntries(kept),
    ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    KENRI_TEST_POSTGRES_URL: stack.postgres.adminUrl,
    KENRI_TEST_NATS_URL: stack.nats.url,
  };
}

/** What runs that were killed left behind: their stacks, and the folders their tests played in. */
async function forgetDeadRuns(): Promise<void> {
  if (!existsSync(stackHome)) return;
  for (const name of readdirSync(stackHome)) {
    const [, kind, pid] = /^(test|bench|generate|try)-(\d+)(?:-|$)/.exec(name) ?? [];
    const dead = join(stackHome, name);
    if (kind === undefined || (kind === "try" ? alive(Number(pid)) : holderOf(dead) !== undefined)) continue;
    for (const server of ["nats", "postgres"]) await endLeftover(dead, server, "SIGINT");
    forgetStack(dead);
  }
}
