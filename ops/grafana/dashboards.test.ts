import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systems } from "../../server/systems.ts";
import { scratchFolder } from "../../stack/scratch.ts";
import { unknownIn } from "../prometheus/code_metrics.ts";
import { promtool } from "../prometheus/rule_cases.ts";
import { jsonOf } from "./dashboard.ts";
import { dashboards, folder } from "./generate.ts";

interface Stored {
  uid: string;
  title: string;
  panels: { id: number; type: string; title: string; gridPos: Box; targets?: { expr: string; legendFormat: string }[] }[];
}
type Box = Record<"x" | "y" | "w" | "h", number>;

const files = readdirSync(folder).sort();
const stored = files.map(file => JSON.parse(readFileSync(join(folder, file), "utf8")) as Stored);
const unique = (values: readonly unknown[]) => new Set(values).size === values.length;

test("there is an overview and a dashboard for each system, and the uid is the name of the file", () => {
  expect(files).toEqual(["overview", ...systems.map(({ name }) => name)].map(name => `kenri-${name}.json`).sort());
  expect(stored.map(({ uid }) => `${uid}.json`)).toEqual(files);
  expect(unique(stored.map(({ title }) => title))).toBe(true);
});

test("the files are current: or run `bun ops/grafana/generate.ts`", () => {
  for (const dashboard of dashboards) expect(readFileSync(join(folder, `${dashboard.uid}.json`), "utf8")).toBe(jsonOf(dashboard));
});

const overlaps = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

describe.each(stored.map(dashboard => [dashboard.uid, dashboard] as const))("%s", (_, { panels }) => {
  test("has panels with titles of their own, beside each other", () => {
    expect(unique(panels.map(({ id }) => id))).toBe(true);
    expect(unique(panels.map(({ title }) => title))).toBe(true);
    const boxes = panels.map(({ gridPos }) => gridPos);
    expect(boxes.filter((one, index) => one.x + one.w > 24 || boxes.slice(index + 1).some(other => overlaps(one, other)))).toEqual([]);
  });

  test.each(panels.filter(({ type }) => type !== "row").map(({ title, targets = [] }) => [title, targets] as const))(
    "%s: metrics and labels are made by the code, and legends name labels that the query keeps",
    (_title, targets) => {
      expect(targets.length).toBeGreaterThan(0);
      for (const { expr, legendFormat } of targets) {
        expect([expr, unknownIn(expr)]).toEqual([expr, []]);
        const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(", ") ?? [];
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
        expect([expr, named.filter(label => !kept.includes(label))]).toEqual([expr, []]);
      }
    },
  );
});

/** As rules, because promtool has no other way to check a query without a server. */
async function checkQueries(queries: readonly string[]) {
  const place = scratchFolder();
  try {
    const file = join(place, "queries.yml");
    const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr: expr.replaceAll("$__rate_interval", "5m") }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: "queries", rules }] }));
    return await promtool("check", "rules", file);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

test("Prometheus can parse every query", async () => {
  const queries = stored.flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));
  expect(await checkQueries(queries)).toMatchObject({ code: 0 });
});

test("a query that Prometheus cannot parse is noticed", async () =>
  expect(await checkQueries(["sum by (system (up)"])).toMatchObject({ code: 1 }));
