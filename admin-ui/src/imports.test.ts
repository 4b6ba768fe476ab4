import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const root = import.meta.dir;
const imports = (text: string) =>
  [...text.matchAll(/^import (type )?[^;]*?from "([^"]+)";|import\("([^"]+)"\)/gm)].map(([, type, from, lazy]) => ({
    isType: type !== undefined,
    from: from ?? lazy!,
  }));
/** Row kinds are plain data without imports, so the console may take their values. */
const isAllowed = ({ isType, from }: { isType: boolean; from: string }) =>
  isType || !/\/server\//.test(from) || from.endsWith("/row_kind.ts");

test("the console takes types from the server, and values of row kinds only", () => {
  const files = [...new Glob("**/*.{ts,tsx}").scanSync(root)].filter(file => !file.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(50);
  const broken = files.flatMap(file =>
    imports(readFileSync(join(root, file), "utf8"))
      .filter(one => !isAllowed(one))
      .map(({ from }) => `${file}: ${from}`),
  );
  expect(broken).toEqual([]);
});

test("a page imports no other page", () => {
  const files = [...new Glob("pages/*/*.{ts,tsx}").scanSync(root)];
  const pages = new Set(files.map(file => file.split("/")[1]!));
  const broken = files.flatMap(file =>
    imports(readFileSync(join(root, file), "utf8"))
      .filter(({ from }) => pages.has(/^\.\.\/(\w+)\//.exec(from)?.[1] ?? ""))
      .map(({ from }) => `${file}: ${from}`),
  );
  expect(broken).toEqual([]);
});

test("the rules can fail", () => {
  const [value, type, kind] = imports(
    'import { relay } from "../../server/entitlement/outbox/relay.ts";\nimport type { Row } from "../../server/entitlement/sql.gen.ts";\nimport { outboxRows } from "../../server/entitlement/operator/row_kind.ts";\n',
  );
  expect([value, type, kind].map(one => isAllowed(one!))).toEqual([false, true, true]);
});
