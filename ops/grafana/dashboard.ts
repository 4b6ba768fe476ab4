// A dashboard as rows of panels, and as the JSON that Grafana reads. Positions and ids follow from the order.
import type { Query } from "./queries.ts";

export interface Panel {
  /** Says what is counted. */
  readonly title: string;
  readonly unit: "s" | "ops" | "percentunit" | "short" | "bytes";
  readonly queries: readonly Query[];
  /** The last values, as numbers or as a table, instead of a graph. */
  readonly shows?: "numbers" | "table";
  /** Of 24. */
  readonly width?: number;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** The uid of the data source in ops/grafana/provisioning. */
const datasource = { type: "prometheus", uid: "prometheus" };
const height = 7;
const fullWidth = 24;

export function jsonOf({ uid, title, rows }: Dashboard): string {
  const dashboard = {
    uid,
    title,
    tags: ["kenri"],
    schemaVersion: 39,
    editable: false,
    time: { from: "now-1h", to: "now" },
    refresh: "30s",
    timezone: "utc",
    links: [{ type: "dashboards", title: "Kenri", tags: ["kenri"], asDropdown: false, includeVars: false, keepTime: true }],
    annotations: { list: [] },
    templating: { list: [] },
    panels: layout(rows),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

/** From left to right, and from top to bottom. */
function layout(rows: readonly Row[]): object[] {
  const placed: object[] = [];
  let y = 0;
  const place = (panel: object, x: number, w: number, h: number) =>
    placed.push({ id: placed.length + 1, ...panel, gridPos: { x, y, w, h } });
  for (const { title, panels } of rows) {
    place({ type: "row", title, collapsed: false, panels: [] }, 0, fullWidth, 1);
    y += 1;
    let x = 0;
    for (const panel of panels) {
      const { width = fullWidth / 3 } = panel;
      if (x + width > fullWidth) [x, y] = [0, y + height];
      place(panelOf(panel), x, width, height);
      x += width;
    }
    y += height;
  }
  return placed;
}

const types = { graph: "timeseries", numbers: "stat", table: "table" } as const;

function panelOf({ title, unit, queries, shows }: Panel): object {
  const targets = queries.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode("A".charCodeAt(0) + index),
    datasource,
    expr,
    legendFormat: legend || title,
    ...(shows ? { instant: true, range: false } : { range: true }),
    ...(shows === "table" ? { format: "table" } : {}),
  }));
  return { type: types[shows ?? "graph"], title, datasource, targets, ...looks[shows ?? "graph"](unit) };
}

const looks = {
  graph: (unit: string) => ({
    fieldConfig: { defaults: { unit, min: 0, custom: { lineWidth: 1, fillOpacity: 10, showPoints: "never" } }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom", calcs: [] }, tooltip: { mode: "multi", sort: "desc" } },
  }),
  // Numbers are budgets: 1 is all of it, below 0 the objective is missed.
  numbers: (unit: string) => ({
    fieldConfig: { defaults: { unit, decimals: 1, thresholds: budgetColours, color: { mode: "thresholds" } }, overrides: [] },
    options: { reduceOptions: { calcs: ["lastNotNull"], values: false }, textMode: "value_and_name", graphMode: "none" },
  }),
  table: (unit: string) => ({
    fieldConfig: { defaults: { unit }, overrides: [] },
    options: {},
    transformations: [{ id: "organize", options: { excludeByName: { Time: true } } }],
  }),
};

const budgetColours = {
  mode: "absolute",
  steps: [
    { color: "red", value: null },
    { color: "orange", value: 0 },
    { color: "green", value: 0.25 },
  ],
};
