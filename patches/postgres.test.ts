// Proves `patches/postgres@3.4.9.patch`: the published driver does not survive a server that dies. README.md names the upstream issue of each part.
// Each case runs in a process of its own (postgres_client.ts), because some errors cannot be caught, and against a private server,
// because it is killed several times.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { scratchFolder } from "../stack/scratch.ts";
import { forgetStack, type Stack, startStack } from "../stack/stack.ts";
import type { Scenario } from "./postgres_client.ts";
import type { Ask } from "./postgres_tools.ts";

setDefaultTimeout(120_000);
const folder = scratchFolder();
let stack: Stack<"postgres">;

beforeAll(async () => {
  stack = await startStack({ dir: folder, servers: ["postgres"], environment: {} });
});

afterAll(async () => {
  await stack?.stop();
  forgetStack(folder);
});

/** Runs a scenario in a process of its own. It must exit by itself, in time, without an error. */
async function survives(scenario: Scenario): Promise<void> {
  let served = stack.postgres.start(); // the scenario before may have stopped it
  await served;
  const client = Bun.spawn([process.execPath, join(import.meta.dir, "postgres_client.ts"), scenario], {
    env: { ...process.env, KENRI_TEST_POSTGRES_URL: stack.postgres.adminUrl },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: scenario === "outageUnderLoad" ? 100_000 : 20_000,
    killSignal: "SIGKILL",
    async ipc(ask: Ask, child) {
      served = ask === "halt" ? stack.postgres.halt() : stack.postgres.start();
      await served;
      if (child.exitCode === null && child.signalCode === null) child.send("done");
    },
  });
  const [stdout, stderr] = await Promise.all([client.stdout.text(), client.stderr.text()]);
  await Promise.all([client.exited, served]);
  expect({ stdout, stderr, code: client.exitCode, signal: client.signalCode }).toEqual({
    stdout: "done\n",
    stderr: "",
    code: 0,
    signal: null,
  });
}

test("a server is killed with -9 under load five times: the process survives, every pending query settles, the next query works at once, no commit is lost", () =>
  survives("outageUnderLoad"));

test("a transaction that outlives its connection does not touch the next transaction on it", () =>
  survives("transactionAfterItsConnection"));

test("the queued queries of a transaction settle when its connection is lost", () => survives("queuedInTransaction"));

test("the error that ended a connection is not reported to the next query on it", () => survives("oldError"));

test("rows of a result that was cut off are not part of the next result", () => survives("oldRows"));

test("rows of a query that failed midway are not part of the next result", () => survives("rowsBeforeError"));

test("a connection that dies while it fetches the types fails its query and nothing else", () => survives("deathAtStart"));

test("a server that accepts connections and closes them is an error, not an endless wait", () => survives("closedAtOnce"));

test("a waiting reserve gets a connection even if the one it waits for dies", () => survives("reserveWaits"));

test("a lost reserved connection rejects its queries, and its release does not free the connection of somebody else", () =>
  survives("reservedLost"));

test("end() returns when the server dies while it waits", () => survives("endDuringDeath"));

test("end() leaves no reconnect timer that keeps the process alive", () => survives("endDuringReconnect"));
