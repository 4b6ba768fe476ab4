import { afterAll, expect, test } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";
import { readDevEnv, writeDevEnv } from "./dev_env.ts";
import { trouble } from "./dev_server.ts";
import { scratchFolder } from "./scratch.ts";
import { readSummary } from "./test_step.ts";

const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a shell and our reader get the same values from dev.env, and only its owner can read it", async () => {
  const file = join(folder, "dev.env");
  const variables = { NATS_URL: "nats://127.0.0.1:4222", KENRI_API_KEY: "it's a $ecret" };
  writeDevEnv(file, variables);
  expect(readDevEnv(file)).toEqual(variables);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await run(["sh", "-c", `. "$1"; printf '%s' "$KENRI_API_KEY"`, "sh", file])).output).toBe("it's a $ecret");
  expect(readDevEnv(join(folder, "none"))).toEqual({});
});

test("only warnings and worse are echoed, in one short line; other output is shown as it is", () => {
  expect(trouble('{"level":"info","msg":"fine"}')).toBeUndefined();
  expect(trouble('{"level":30,"msg":"fine"}')).toBeUndefined();
  expect(trouble('{"level":"warn","role":"entitlement:relay","msg":"outbox.claim","error":{"message":"away"}}')).toBe(
    "warn entitlement:relay: outbox.claim: away",
  );
  expect(trouble('{"level":50,"msg":"dead"}')).toBe("error: dead");
  expect(trouble("panic: everything")).toBe("panic: everything");
  expect(trouble("")).toBeUndefined();
});

test("the counts come from the summary; a crash without a summary counts as a failure", () => {
  expect(readSummary(" 12 pass\n 3 skip\n 2 fail\n 40 expect() calls\nRan 17 tests", 1)).toEqual({ passed: 12, failed: 2 });
  expect(readSummary("\u001b[32m 12 pass\u001b[0m\n\u001b[2m 0 fail\u001b[0m\n", 0)).toEqual({ passed: 12, failed: 0 });
  expect(readSummary("  1 failed\n    sign_in.spec.ts:1:1 › a page\n  8 passed (4.3s)\n", 1)).toEqual({ passed: 8, failed: 1 });
  expect(readSummary("  2 passed (1.2m)\n", 0)).toEqual({ passed: 2, failed: 0 });
  expect(readSummary("Segmentation fault", 139)).toEqual({ passed: 0, failed: 1 });
  expect(readSummary(" 3 pass\n 0 fail\n 1 error\n", 1)).toEqual({ passed: 3, failed: 1 });
});
