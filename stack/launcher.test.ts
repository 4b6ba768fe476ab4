import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./command.ts";
import { alive } from "./process_table.ts";
import { scratchFolder } from "./scratch.ts";
import { becomes } from "./wait.ts";

const folder = scratchFolder();
const npx = join(folder, "npx");
const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: process.env.HOME };
const launcher = JSON.stringify(join(import.meta.dir, "launcher.ts"));
const table = JSON.stringify(join(import.meta.dir, "process_table.ts"));
const scripts = {
  "shows.ts": `import { launchersOf } from ${launcher}; import { commandLine } from ${table};
console.log(launchersOf(process.pid).map(pid => commandLine(pid).replaceAll(process.execPath, "bun").replaceAll(${JSON.stringify(folder)}, "")).join(" < "));`,
  "signals.ts": `import { stopSignals } from ${launcher}; console.log(stopSignals().join());`,
  "stays.ts": `import { writeFileSync } from "node:fs"; import { endWithLaunchers } from ${launcher};
process.on("SIGTERM", () => { writeFileSync("stopped", "by SIGTERM"); process.exit(0); });
endWithLaunchers(); writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000);`,
};
const inFolder = (command: string[]) => run(command, { cwd: folder, env });

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  const names = Object.keys(scripts).map(file => [file.slice(0, -3), `bun ${file}`]);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: Object.fromEntries(names) }));
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, name), text);
  // Like npm: it starts a shell that starts the command, and forwards no signal. The second command keeps the shell in the chain.
  writeFileSync(
    npx,
    `require("node:child_process").spawnSync("sh", ["-c", process.argv.slice(2).join(" ") + "; :"], { stdio: "inherit" });`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["npx", ["bun", npx, "bun", "run", "shows"], "bun run shows < sh -c bun run shows; : < bun /npx bun run shows"],
  ["npx that a shell runs", ["sh", "-c", `bun ${npx} bun run shows; :`], "bun run shows < sh -c bun run shows; : < bun /npx bun run shows"],
  ["bun run", ["bun", "run", "shows"], "bun run shows"],
  ["bun run for short", ["bun", "shows"], "bun shows"],
  ["a shell", ["sh", "-c", "bun shows.ts; :"], ""],
  ["another program", ["bun", "-e", `require("node:child_process").spawnSync("bun", ["shows.ts"], { stdio: "inherit" })`], ""],
])("a command that %s started knows whom it was started by, and takes nobody else for that", async (_, command, expected) => {
  const { output } = await inFolder(command);
  expect(output.split("\n").findLast(line => !line.startsWith("$")) ?? "").toBe(expected);
});

test.each(["SIGTERM", "SIGKILL"] as const)("when npx ends by %s, the command gets a SIGTERM", async signal => {
  for (const file of ["pid", "stopped"]) rmSync(join(folder, file), { force: true });
  const child = Bun.spawn(["bun", npx, "bun", "run", "stays"], { cwd: folder, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  // The file exists before its text.
  const written = () => (existsSync(join(folder, "pid")) ? Number(readFileSync(join(folder, "pid"), "utf8")) : 0);
  expect(await becomes(10_000, () => written() > 0)).toBe(true);
  const pid = written();
  child.kill(signal);
  await child.exited;
  expect(await becomes(5_000, () => !alive(pid))).toBe(true);
  expect(await Bun.file(join(folder, "stopped")).text()).toBe("by SIGTERM");
});

test("the end of the terminal stops a command, unless nohup started it", async () => {
  expect((await inFolder(["bun", "signals.ts"])).output).toBe("SIGINT,SIGTERM,SIGHUP");
  if (process.platform === "linux") expect((await inFolder(["nohup", "bun", "signals.ts"])).output).toEndWith("SIGINT,SIGTERM");
});
