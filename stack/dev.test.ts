import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { prefixOf } from "../server/kernel/config/system_settings.ts";
import { checkout } from "./checkout.ts";
import { run } from "./command.ts";
import { readDevEnv } from "./dev_env.ts";
import { devSystems } from "./dev_systems.ts";
import { holderOf } from "./lock.ts";
import { alive } from "./process_table.ts";
import { isAsShown, readme, type Snippet, snippetsIn } from "./readme.ts";
import { scratchFolder } from "./scratch.ts";
import { serverNames } from "./stack.ts";
import { becomes, until } from "./wait.ts";

const home = scratchFolder();
const dev = join(home, "dev");
// Two attempts, as in the README's section about repair.
const env = { PATH: process.env.PATH, HOME: process.env.HOME, KENRI_DEV_HOME: home, NOTIFICATION_MAX_ATTEMPTS: "2" };
const running: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of running) child.kill("SIGTERM");
  await Promise.all(running.map(child => child.exited));
  rmSync(home, { recursive: true, force: true });
});

/** `bun run dev` without the install, until it has printed its block. */
async function startDev(
  command = [process.execPath, join(import.meta.dir, "dev.ts")],
): Promise<{ child: Bun.Subprocess; curl: string[]; took: number }> {
  const started = performance.now();
  const child = Bun.spawn(command, { cwd: checkout, env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  running.push(child);
  let text = "";
  const reading = (async () => {
    for await (const chunk of child.stdout) text += new TextDecoder().decode(chunk);
  })();
  void reading;
  await until(`the block, after\n${text}`, 60_000, () => text.includes("Ctrl-C stops everything") || child.exitCode !== null);
  expect(text).toContain("Ctrl-C stops everything");
  for (const { name } of devSystems) expect(text).toMatch(new RegExp(`^  ${name} +http://127\\.0\\.0\\.1:\\d+   API: `, "m"));
  return { child, curl: text.split("\n").filter(line => line.startsWith("curl ")), took: performance.now() - started };
}

/** A start in under five seconds. The machine may be busy, so the best of three counts. */
async function quickStart(): ReturnType<typeof startDev> {
  const times: number[] = [];
  for (;;) {
    const started = await startDev();
    times.push(started.took);
    if (started.took < 5_000) return started;
    if (times.length === 3) throw new Error(`three starts took ${times.map(Math.round).join(", ")} ms`);
    started.child.kill("SIGINT");
    await started.child.exited;
  }
}

async function pids(): Promise<number[]> {
  const files = [...serverNames, "kenri"].map(name => Bun.file(join(dev, `${name}.pid`)).text());
  return (await Promise.all(files)).map(text => Number.parseInt(text, 10));
}

/** The ports of the systems change if another process uses the usual ones at one of the starts. */
const withoutPorts = (variables: Record<string, string>) =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value.replace(/^(http:.*):\d+/, "$1")]));

/** Runs the three commands as a person would. */
async function tryCurl([grant = "", read = "", inbox = ""]: string[]): Promise<void> {
  const sh = async (line: string) => (await run(["sh", "-c", line])).output;
  expect(JSON.parse(await sh(grant))).toMatchObject({ status: "ACTIVE", version: 1 });
  expect(JSON.parse(await sh(read))).toMatchObject({ entitlements: [{ stock_keeping_unit: "sword", status: "ACTIVE" }] });
  expect(await becomes(5_000, async () => (await sh(inbox)).includes('"SENT"'), 100)).toBe(true);
}

/** dev.env has the address of each system's metrics, which is not its API. */
async function metricsAreNamed(): Promise<void> {
  const named = readDevEnv(join(home, "dev.env"));
  expect(devSystems.map(({ name }) => name)).toContain("gateway");
  for (const system of devSystems.map(({ name }) => prefixOf(name))) {
    const metrics = await (await fetch(named[`${system}_METRICS_URL`]!)).text();
    expect(metrics).toContain(`kenri_event_loop_lag_seconds{thread="${system.toLowerCase()}:api"}`);
    expect(await (await fetch(named[`${system}_HEALTH_URL`]!)).json()).toMatchObject({ status: "ready" });
    expect((await fetch(`${named[`${system}_URL`]}/metrics`)).status).toBe(404);
  }
}

const asPrinted = Bun.which("curl") ? tryCurl : async () => {};

/** Commands that start, test or deploy everything are skipped; all others of the README run. */
const isWhole = ({ commands }: Snippet) => /^npx bun (run (dev|test)|stack\/compose_env)/.test(commands);

/** Runs the README from top to bottom in one shell, with this stack instead of the usual one, and compares the output. */
async function tryReadme(): Promise<void> {
  const folder = join(home, "reader");
  mkdirSync(folder);
  symlinkSync(home, join(folder, ".stack"));
  writeFileSync(join(folder, "npx"), `#!/bin/sh\ncd '${checkout}' && exec "$@"\n`, { mode: 0o755 });
  const snippets = snippetsIn(readme()).filter(snippet => !isWhole(snippet));
  const end = "-- end of a snippet --";
  const script = snippets.map(({ commands }) => `${commands}\necho '${end}'`).join("\n");
  const PATH = `${folder}:${dirname(process.execPath)}:${process.env.PATH}`;
  const { code, output } = await run(["sh", "-e", "-c", script], { cwd: folder, env: { PATH, HOME: home }, within: 90_000 });
  expect([code, output]).toEqual([0, expect.any(String)]);
  const printed = output.split(end).map(part => part.trim().split("\n"));
  for (const [index, { answers }] of snippets.entries())
    for (const [line, shown] of answers.entries())
      expect({ shown, answer: printed[index]![line]! }).toSatisfy(({ answer }) => isAsShown(answer ?? "", shown));
  expect(snippets.filter(({ answers }) => answers.length > 0).length).toBeGreaterThanOrEqual(3);
  expect(output).toContain("revoked    true");
}

const asWritten = Bun.which("curl") ? tryReadme : async () => {};

test("a first start prints a block whose curl lines work, the README works word for word, and Ctrl-C leaves no process", async () => {
  const { child, curl } = await startDev();
  await asPrinted(curl);
  await asWritten();
  const servers = await pids();
  expect(servers.every(alive)).toBe(true);
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  expect(servers.some(alive)).toBe(false);
}, 120_000);

test.if(Bun.which("npx") !== null)(
  "kill -TERM of the npx that started it leaves no process",
  async () => {
    const { child } = await startDev(["npx", "bun", "run", "dev"]);
    const servers = await pids();
    expect(servers.every(alive)).toBe(true);
    child.kill("SIGTERM");
    await child.exited;
    expect(await becomes(20_000, () => !servers.some(alive))).toBe(true);
    expect(await becomes(5_000, () => holderOf(dev) === undefined)).toBe(true);
  },
  120_000,
);

test("a second start takes under five seconds, keeps key and data, and is the only one", async () => {
  const earlier = readDevEnv(join(home, "dev.env"));
  expect(earlier.GATEWAY_URL).toStartWith("http://");
  for (const name of ["ENTITLEMENT", "NOTIFICATION", "ACCOUNT"])
    expect([earlier[`${name}_URL`], earlier[`${name}_DATABASE_URL`]]).toEqual([
      expect.stringMatching(/^http:/),
      expect.stringMatching(/^postgres:/),
    ]);
  for (const { name } of devSystems) expect([name, earlier[`${prefixOf(name)}_URL`]]).toEqual([name, expect.stringMatching(/^http:/)]);
  expect(earlier.NATS_URL).toStartWith("nats://administrator:");
  expect(earlier.ENTITLEMENT_RELAY_NATS_URL).toStartWith("nats://entitlement_relay:");
  expect(earlier.MATCHMAKING_RELAY_NATS_URL).toStartWith("nats://matchmaking_relay:");
  expect(statSync(join(dev, "nats.password")).mode & 0o777).toBe(0o600);
  const { child, curl } = await quickStart();
  await asPrinted(curl);
  await metricsAreNamed();
  expect(withoutPorts(readDevEnv(join(home, "dev.env")))).toEqual(withoutPorts(earlier));
  for (const secret of ["dev.env", "dev/signing.secret"]) expect(statSync(join(home, secret)).mode & 0o777).toBe(0o600);

  const another = await run([process.execPath, join(import.meta.dir, "dev.ts")], { env });
  expect([another.code, another.output]).toEqual([1, expect.stringContaining("running already")]);
  const reset = await run([process.execPath, join(import.meta.dir, "reset.ts")], { env });
  expect([reset.code, reset.output]).toEqual([1, expect.stringContaining("stop it first")]);

  const servers = await pids();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect(servers.some(alive)).toBe(false);
}, 120_000);

test("dev:reset deletes the data and prints the folders", async () => {
  const reset = await run([process.execPath, join(import.meta.dir, "reset.ts")], { env });
  expect([reset.code, reset.output]).toEqual([0, expect.stringContaining(dev)]);
  expect(existsSync(dev)).toBe(false);
  expect(existsSync(join(home, "dev.env"))).toBe(false);
});
