import { expect, test } from "bun:test";
import { describeError } from "./log.ts";

/** What a child process writes when it logs. */
async function logged(code: string): Promise<string[]> {
  const child = Bun.spawn(
    [
      process.execPath,
      "-e",
      `import { createLog } from "${import.meta.dir}/log.ts"; const log = createLog("info", { role: "test" }); ${code}`,
    ],
    { stdout: "pipe" },
  );
  return (await new Response(child.stdout).text()).trimEnd().split("\n");
}

test("a line stays one line, whatever is in it", async () => {
  const lines = await logged(String.raw`log.info({ user_id: 'x\n{"level":"error","msg":"forged"}' }, "sent\r\n{}"); log.warn("next");`);
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { level: "info", role: "test", user_id: 'x\n{"level":"error","msg":"forged"}' },
    { level: "warn", msg: "next" },
  ]);
});

test("secrets are hidden, and what is below the level is not written", async () => {
  const lines = await logged(
    'log.debug("no"); log.info({ authorization: "Bearer hunter2", request: { authorization: "hunter2" }, database: { password: "hunter2" }, key: "hunter2" }, "yes");',
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain("hunter2");
});

test("a line that was logged survives the process", async () => {
  expect(await logged('log.info("last words"); process.kill(process.pid, "SIGKILL");')).toEqual([expect.stringContaining("last words")]);
});

test("lines that are written together stay lines of their own, and an exit loses none", async () => {
  const lines = await logged(
    'const { batchedLog } = await import("LOG"); const many = batchedLog(log); many.info({ n: 1 }, "a"); log.info("first"); many.info({ n: 2, key: "hunter2" }, "b"); process.exit(0);'.replace(
      "LOG",
      `${import.meta.dir}/log.ts`,
    ),
  );
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { msg: "first" },
    { n: 1, msg: "a", role: "test" },
    { n: 2, key: "(hidden)" },
  ]);
});

test("an error is told by class, code, message and a short stack, without what it carries", () => {
  const error = Object.assign(new TypeError("no such column"), { code: "42703", query: "select 'hunter2'", parameters: ["hunter2"] });
  const told = describeError(error);
  expect(told).toMatchObject({ name: "TypeError", code: "42703", message: "no such column" });
  expect(JSON.stringify(told)).not.toContain("hunter2");
  expect((told.stack as string[]).length).toBeLessThanOrEqual(5);
  expect(describeError("text")).toEqual({ message: "text" });
});
