/** `bun ops/grafana/generate.ts` writes the dashboards, one file each, named by its uid. A test fails if a file differs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systems } from "../../server/systems.ts";
import { answerHelp } from "../../stack/help.ts";
import { jsonOf } from "./dashboard.ts";
import { overview } from "./overview.ts";
import { dashboardOf } from "./system.ts";

export const folder = join(import.meta.dir, "dashboards");
export const dashboards = [overview, ...systems.map(dashboardOf)];

if (import.meta.main) {
  answerHelp("usage: bun ops/grafana/generate.ts\n\nWrites ops/grafana/dashboards/*.json.");
  for (const dashboard of dashboards) writeFileSync(join(folder, `${dashboard.uid}.json`), jsonOf(dashboard));
}
