// What `patches/postgres@3.4.9.patch` is for: the driver, as published, does not survive a server that dies. Each case names what the
// patch must keep true. They run in a process of their own (postgres_client.ts), because the worst of it is an error that
// nobody can catch, and they run against a private server, because it is killed again and again.
// When the driver is updated: drop the patch, run this file, and keep of the patch only what still fails.
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

/** Play a scenario in a process of its own. It must end by itself, in time, and have found nothing wrong. */
async function survives(scenario: Scenario): Promise<void> {
  let served = stack.postgres.start(); // up again, whatever the scenario before has done
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

test("a server killed with -9 under load, five times over: the process lives, all that waits is settled, each next query works at once, no commit is lost", () =>
  survives("outageUnderLoad"));

test("a transaction that outlives its connection touches nothing of the one that has it next", () =>
  survives("transactionAfterItsConnection"));

test("what a transaction has queued is settled when its connection is lost", () => survives("queuedInTransaction"));

test("the error that ended a connection is not told to the next query on it", () => survives("oldError"));

test("rows of a result that broke off do not turn up in the next result", () => survives("oldRows"));

test("a connection that dies while it asks for the types fails its query and nothing else", () => survives("deathAtStart"));

test("a connection that dies while the password is being fetched fails its query and nothing else", () => survives("deathAtPassword"));

test("a server that takes connections and closes them is an error, not an endless wait", () => survives("closedAtOnce"));

test("a reserve that waits for a connection gets one, though that connection dies first", () => survives("reserveWaits"));

test("a reserve is the first to use its connection also without the types", () => survives("reserveFirst"));

test("a reserved connection that is lost says so, and its release gives nothing away", () => survives("reservedLost"));

test("end() returns when the server dies while it waits", () => survives("endDuringDeath"));

test("end() leaves no reconnect behind that keeps the process alive", () => survives("endDuringReconnect"));

test("a cancel that reaches no server is not an uncaught error", () => survives("cancelInVain"));

test("a cursor whose server dies fails, and the connection is fit for use again", () => survives("cursorBroken"));

test("a COPY whose server dies before it is confirmed fails", () => survives("copyUnconfirmed"));
