import { afterAll, afterEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { choosePort } from "./ports.ts";
import { alive } from "./process_table.ts";
import { scratchFolder } from "./scratch.ts";
import { type ServerProcess, type ServerSpec, superviseServer } from "./server_process.ts";
import { until } from "./wait.ts";
import { startWatchdog } from "./watchdog.ts";

const dir = scratchFolder();
const watchdog = startWatchdog();
const started: ServerProcess[] = [];
let count = 0;

/** A small HTTP server. `script` runs before it listens. */
async function echoServer(script = "", more: Partial<ServerSpec> = {}): Promise<ServerProcess & { url: string }> {
  const name = `echo-${count++}`;
  const port = await choosePort(dir, name);
  const url = `http://127.0.0.1:${port}`;
  const listen = `Bun.serve({ hostname: "127.0.0.1", port: ${port}, fetch: () => new Response(String(process.pid)) });`;
  const server = superviseServer({
    name,
    dir,
    command: [process.execPath, "-e", `${script};${listen}`],
    ready: async () => (await fetch(url, { signal: AbortSignal.timeout(500) })).ok,
    readyWithin: 5_000,
    watchdog,
    ...more,
  });
  started.push(server);
  return Object.assign(server, { url });
}

const answer = async (url: string) => (await fetch(url, { signal: AbortSignal.timeout(500), keepalive: false })).text();
const answersAs = (url: string) => answer(url).catch(() => "");

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});
afterAll(() => {
  watchdog.close();
  rmSync(dir, { recursive: true, force: true });
});

test("a server that dies is restarted", async () => {
  const server = await echoServer();
  await server.start();
  const first = server.pid;
  server.kill("SIGKILL");
  await until("a new process answers", 5_000, async () => ![String(first), ""].includes(await answersAs(server.url)));
  expect(server.pid).not.toBe(first);
});

test("stop leaves no process, and may come twice or before the start", async () => {
  const server = await echoServer();
  await server.stop();
  await server.start();
  const pid = server.pid!;
  await server.stop();
  await server.stop();
  expect(alive(pid)).toBe(false);
  expect(server.pid).toBeUndefined();
});

test("a server that ignores the stop signal is killed after the deadline", async () => {
  const server = await echoServer(`process.on("SIGTERM", () => {})`, { stopWithin: 200 });
  await server.start();
  const pid = server.pid!;
  await server.stop();
  expect(alive(pid)).toBe(false);
});

test("a failing start names the server and shows the last lines of its log", async () => {
  const server = await echoServer(`for (let n = 1; n <= 20; n++) console.log("line " + n); process.exit(3)`);
  const error = await server.start().then(
    () => undefined,
    (e: Error) => e.message,
  );
  expect(error).toContain(`${server.name} ended at start (exit 3)`);
  expect(error).toContain(join(dir, "logs", `${server.name}.log`));
  expect(error).toContain("line 20");
  expect(error).not.toContain("line 5\n");
});

test("a server that never gets ready is named with its deadline and is ended", async () => {
  const server = await echoServer("console.log('waiting for ever')", { ready: async () => false, readyWithin: 300 });
  await expect(server.start()).rejects.toThrow(/was not ready within 300 ms.*waiting for ever/s);
  await until("it is gone", 5_000, () => server.pid === undefined);
});

test("a missing program is an error, not a crash", async () => {
  const server = await echoServer("", { command: [join(dir, "no-such-program")] });
  await expect(server.start()).rejects.toThrow(/does not run/);
});

test("after five quick deaths it gives up with an error", async () => {
  const reasons: string[] = [];
  const server = await echoServer("", { onGiveUp: error => void reasons.push(error.message) });
  await server.start();
  while (reasons.length === 0) {
    if (server.pid !== undefined && (await answersAs(server.url)) === String(server.pid)) server.kill("SIGKILL");
    await Bun.sleep(10);
  }
  expect(reasons).toHaveLength(1);
  expect(reasons[0]).toContain(server.name);
  expect(server.pid).toBeUndefined();
}, 30_000);

test("halt stays down until start, which uses the same port", async () => {
  const server = await echoServer();
  await server.start();
  const pid = server.pid!;
  await server.halt();
  expect(alive(pid)).toBe(false);
  await server.start();
  expect(await answer(server.url)).toBe(String(server.pid));
});

test("with restart off a dead server stays down", async () => {
  const server = await echoServer();
  await server.start();
  server.restart = false;
  server.kill("SIGKILL");
  await until("it is gone", 5_000, () => server.pid === undefined);
  await server.start();
  expect(await answer(server.url)).toBe(String(server.pid));
});

test("a paused server does not answer, a resumed one does, and a paused one can be stopped", async () => {
  const server = await echoServer();
  await server.start();
  server.pause();
  expect(await answersAs(server.url)).toBe("");
  server.resume();
  expect(await answer(server.url)).toBe(String(server.pid));
  server.pause();
  const pid = server.pid!;
  await server.stop();
  expect(alive(pid)).toBe(false);
});

test("stop during a slow start ends the start", async () => {
  const server = await echoServer("", { ready: async () => false, readyWithin: 60_000 });
  const starting = server.start().then(
    () => "started",
    () => "ended",
  );
  await until("it has a process", 5_000, () => server.pid !== undefined);
  const pid = server.pid!;
  await server.stop();
  expect(await starting).toBe("ended");
  expect(alive(pid)).toBe(false);
});
