import { afterAll, expect, test } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "./scratch.ts";
import { keptPassword } from "./secret_file.ts";

const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a stack makes a secret once, readable for its owner only; another stack has another secret", () => {
  const [file, other] = [join(folder, "a", "signing.secret"), join(folder, "b", "signing.secret")];
  const made = keptPassword(file);
  expect(made).toMatch(/^[\w-]{32,}$/);
  expect(keptPassword(file)).toBe(made);
  expect(keptPassword(other)).not.toBe(made);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
