/**
 * Keeps the tables of settings in docs/configuration.md true to the code: `bun server/tools/configuration.ts --write`, or `--verify` to fail on drift.
 * What stands outside the two markers is written by hand.
 */
import { join } from "node:path";
import { listSettings, type Setting, type SettingsSpec, variablesOf } from "../kernel/config/config.ts";
import { allSettings } from "../systems.ts";

export const documentFile = join(import.meta.dir, "../../docs/configuration.md");

const begin = "<!-- settings: written by `bun server/tools/configuration.ts --write` -->";
const end = "<!-- end of settings -->";
const empty = `# Configuration\n\n${begin}\n${end}\n`;

const defaultOf = ({ preset, optional }: Setting<unknown>) => (preset !== undefined ? `\`${preset}\`` : optional ? "–" : "required");
const cell = (text: string) => text.replaceAll("|", "\\|");
const namesOf = (setting: Setting<unknown>) =>
  variablesOf(setting)
    .map(variable => `\`${variable}\``)
    .join(" or ");
const row = (setting: Setting<unknown>) => [namesOf(setting), defaultOf(setting), cell(setting.about)];

/** A Markdown table with its columns in line, as the formatter wants it. */
function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(cells => cells[column]!.length)));
  const lines = rows.toSpliced(
    1,
    0,
    widths.map(width => "-".repeat(width)),
  );
  return lines.map(cells => `| ${cells.map((text, column) => text.padEnd(widths[column]!)).join(" | ")} |`).join("\n");
}

/** A table of every group of settings, under its name. */
export const tablesOf = (groups: Record<string, SettingsSpec>): string =>
  Object.entries(groups)
    .map(([name, spec]) => `## ${name}\n\n${table([["variable", "default", "meaning"], ...listSettings(spec).map(row)])}`)
    .join("\n\n");

/** The document with its tables as the code has them. */
export function written(document: string, tables = tablesOf(allSettings)): string {
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/configuration.md lacks the lines ${begin} and ${end}`);
  return `${before}${begin}\n\n${tables}\n\n${end}${after}`;
}

async function main(): Promise<number> {
  const file = Bun.file(documentFile);
  const document = (await file.exists()) ? await file.text() : empty;
  const wanted = written(document);
  if (wanted === document) return 0;
  if (process.argv.includes("--write")) {
    await Bun.write(documentFile, wanted);
    return 0;
  }
  console.error("docs/configuration.md does not fit the settings in the code: run `bun server/tools/configuration.ts --write`");
  return 1;
}

if (import.meta.main) process.exit(await main());
