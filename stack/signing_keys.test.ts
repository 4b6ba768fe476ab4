import { afterAll, expect, test } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "./scratch.ts";
import { ensureSigningKeys } from "./signing_keys.ts";

const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a stack makes its signing keys once, for its owner only, and another stack has others", () => {
  const [file, other] = [join(folder, "a", "signing_keys"), join(folder, "b", "signing_keys")];
  const made = ensureSigningKeys(file);
  expect(made).toMatch(/^dev:[\w-]{32,}$/);
  expect(ensureSigningKeys(file)).toBe(made);
  expect(ensureSigningKeys(other)).not.toBe(made);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
