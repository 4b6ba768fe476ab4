// `bun run test`: every check and every test against real servers. With arguments: only those tests (`bun run test server/kernel`).
// `bun run test e2e`, or `bun run e2e`: only those in a browser, all or the named ones.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { prefixOf } from "../server/kernel/config/system_settings.ts";
import { systems } from "../server/systems.ts";
import { browserTests, usual } from "./browser_tests.ts";
import { checkout, stackHome } from "./checkout.ts";
import { forgetDeadRuns } from "./dead_runs.ts";
import { answerHelp } from "./help.ts";
import { endWithLaunchers, stopSignals } from "./launcher.ts";
import { forgetStack, type Stack, serverNames, startStack } from "./stack.ts";
import { onTerminal, type Show, stepRunner, type Tally } from "./test_step.ts";

answerHelp(
  `usage: npx bun run test [file or folder …]
       npx bun run e2e [file …]

Without arguments: format, types, lint, generated files, all tests against real servers, and those in a browser. With arguments: only those tests,
for example \`npx bun run test server/kernel\`.`,
  { takes: () => true },
);

endWithLaunchers();

const bun = process.execPath;
const program = (name: string) => [bun, join(checkout, "node_modules", ".bin", name)];

const checks: [name: string, command: string[]][] = [
  ["format and lint", [...program("biome"), "ci", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."]],
  ["types", [...program("tsc"), "--noEmit", "-p", "."]],
  ["types of the console", [...program("tsc"), "--noEmit", "-p", "admin-ui"]],
  ["SQL files fit the schema, generated types are current", [bun, "server/tools/generate.ts", "--verify"]],
  ["protobuf lint", [...program("buf"), "lint"]],
  ["protobuf: generated code is current, nothing breaks", [bun, "proto/verify.ts"]],
];
const testFolders = ["server", "stack", "admin-ui", "bench", "proto", "patches", "ops"].filter(folder =>
  existsSync(join(checkout, folder)),
);
const faults = "server/faults/";
// It starts everything and measures the time.
const ofDev = "stack/dev.test.ts";
// They wait for alerts on a stack of their own.
const ofDrills = "ops/drills/three_drills.test.ts";
// Each with half as many concurrent tests: while the last test of one file waits, the other file uses the machine.
const atOnce = (files: number) => [`--parallel=${files}`, "--no-isolate"];

const [first, ...others] = process.argv.slice(2);
const onlyBrowser = first === "e2e";
const everything = first === undefined;
await forgetDeadRuns();
const dir = join(stackHome, `test-${process.pid}`);
// Tests of orders have a paper broker of their own.
const servers = serverNames.filter(name => name !== "broker");
const stack = await startStack({
  dir,
  servers: onlyBrowser ? [] : servers,
  say: line => console.log(line),
  environment: {},
  natsForTests: true,
  postgresInMemory: true,
});
let interruptedAt = 0;
const steps = stepRunner({ ...cleanEnvironment(), ...(onlyBrowser ? {} : addresses(stack)) }, stack.watchdog);
// Of runs in parallel, the output of one follows that of the others.
let held: string[] | undefined;
const show: Show = text => void (held ? held.push(text) : onTerminal(text));
const ofTheDrills: string[] = [];
const drillSteps = stepRunner(cleanEnvironment(), stack.watchdog, text => void ofTheDrills.push(text));
const inBrowser = browserTests(cleanEnvironment(), stack.watchdog, { ...usual, show });
for (const name of stopSignals()) process.on(name, () => void interrupted());

const total: Tally = { passed: 0, failed: 0 };
const add = (tally: Tally) => {
  total.passed += tally.passed;
  total.failed += tally.failed;
};
add(await steps.check("the console is built", [bun, "stack/console.ts"]));
if (onlyBrowser) add(await inBrowser.run(others));
else if (everything) await runEverything();
else add(await runTests("tests", [first, ...others]));
if (interruptedAt === 0) {
  await close();
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exit(total.failed === 0 ? 0 : 1);
}

/**
 * Most tests, the browser and the drills wait more than they work, so they run in parallel. The tests in `faults/` run several processes under load
 * and measure the recovery time; the test of `bun run dev` measures the start. Nothing else runs at the same time as those. Three files with faults
 * at once: each waits for servers that are away.
 */
async function runEverything(): Promise<void> {
  const folders = testFolders.map(folder => `./${folder}/`);
  held = [];
  const browsing = inBrowser.run([]); // takes longest, so it starts first
  const drilling = drillSteps.tests("drills", testCommand([`./${ofDrills}`], 1));
  for (const [name, command] of checks) add(await steps.check(name, command));
  add(await runTests("tests", [...atOnce(2), ...without(`${faults}**`), ...without(ofDev), ...without(ofDrills), ...folders], 2));
  onTerminal(held.join(""));
  held = undefined;
  add(await browsing);
  add(await drilling);
  onTerminal(ofTheDrills.join(""));
  if (interruptedAt === 0) add(await runTests("tests with faults", [...atOnce(3), `./${faults}`], 2));
  if (interruptedAt === 0) add(await runTests("tests of bun run dev", [`./${ofDev}`]));
}

function without(pattern: string): string[] {
  return ["--path-ignore-patterns", pattern];
}

function runTests(name: string, wanted: readonly string[], concurrency = 4): Promise<Tally> {
  return steps.tests(name, testCommand(wanted, concurrency));
}

function testCommand(wanted: readonly string[], concurrency: number): string[] {
  return [bun, "test", "--timeout", "120000", "--max-concurrency", String(concurrency), ...wanted];
}

async function close(): Promise<void> {
  await inBrowser.stop();
  await stack.stop();
  if (process.env.KENRI_KEEP) console.log(`kept until the next run: ${dir}`);
  else forgetStack(dir);
}

async function interrupted(): Promise<void> {
  if (interruptedAt > 0 && performance.now() - interruptedAt > 1_000) process.exit(130); // the second time: the watchdog ends the rest
  if (interruptedAt > 0) return; // one Ctrl-C arrives twice: from the terminal and from `bun run`
  interruptedAt = performance.now();
  steps.abort();
  drillSteps.abort();
  await close();
  process.exit(130);
}

/** Without the variables of the caller that would point the tests at other data. */
function cleanEnvironment(): Record<string, string | undefined> {
  const foreign = new RegExp(`^(NATS|REDIS|OIDC|BROKER|KENRI_ENV|${systems.map(({ name }) => `${prefixOf(name)}_`).join("|")})`);
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(kept), ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}) };
}

/** The servers of this run. */
function addresses({ postgres, nats, redis, idp }: Stack<(typeof servers)[number]>): Record<string, string> {
  return {
    KENRI_TEST_POSTGRES_URL: postgres.adminUrl,
    KENRI_TEST_NATS_URL: nats.url,
    KENRI_TEST_REDIS_URL: redis.url,
    KENRI_TEST_IDP_ISSUER: idp.issuer,
    KENRI_TEST_IDP_CLIENT_ID: idp.clientId,
    KENRI_TEST_IDP_CLIENT_SECRET: idp.clientSecret,
  };
}
