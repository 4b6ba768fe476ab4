import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The statements of `sql/rows` are the same for every queue table but for names. They are written once, with psql variables (`:table`, `:'held'`). A
 * folder of a system binds them with a file `rows.psql`. `sql/rows/rows.psql` has the values of all tables that do not set their own.
 */
export interface SharedStatement {
  /** As if it were a plain file of the system: `<folder>/release.sql`. */
  readonly path: string;
  /** The shared file and the table it is bound to, for errors. */
  readonly file: string;
  readonly text: string;
}

const bindings = "rows.psql";

/** The shared statements of each table of a system, without those that it has as plain files. */
export function sharedStatements(system: string, plain: readonly string[], root: string): SharedStatement[] {
  const tables = readdirSync(join(root, system), { recursive: true, encoding: "utf8" })
    .filter(file => file.endsWith(`/${bindings}`))
    .map(dirname)
    .sort();
  if (tables.length > 1)
    throw new Error(`sql/${system}: ${tables.join(" and ")} have a ${bindings}; the bulk statements can have one table`);
  return tables.flatMap(table => boundTo(system, table, plain, root));
}

/** What a folder of a system sets, and what all tables have unless they set their own. */
export const readBindings = (system: string, table: string, root: string) => ({
  own: readVariables(join("sql", system, table, bindings), join(root, system, table, bindings)),
  ofAll: readVariables(join("sql/rows", bindings), join(root, "rows", bindings)),
});

function boundTo(system: string, table: string, plain: readonly string[], root: string): SharedStatement[] {
  const folder = join("sql", system, table);
  const { own, ofAll } = readBindings(system, table, root);
  const values = new Map([...ofAll, ...own]);
  const [used, usedByAny] = [new Set<string>(), new Set<string>()];
  const statements = readdirSync(join(root, "rows"), { recursive: true, encoding: "utf8" })
    .filter(file => file.endsWith(".sql"))
    .flatMap(file => {
      const path = file.includes("/") ? file : join(table, file);
      const text = readFileSync(join(root, "rows", file), "utf8");
      expand(text, ofAll, usedByAny, () => "");
      if (plain.includes(path)) return [];
      const expanded = expand(text, values, used, name => {
        throw new Error(`sql/rows/${file}: no value for :${name} of ${folder}; set it in ${folder}/${bindings}`);
      });
      return [{ path, file: `sql/rows/${file} of ${folder}`, text: expanded }];
    });
  refuseUnused(join(folder, bindings), own, used);
  refuseUnused(join("sql/rows", bindings), ofAll, usedByAny);
  return statements;
}

function refuseUnused(file: string, values: ReadonlyMap<string, string>, used: ReadonlySet<string>): void {
  const unused = [...values.keys()].filter(name => !used.has(name));
  if (unused.length > 0) throw new Error(`${file}: no statement of sql/rows uses ${unused.map(name => `:${name}`).join(", ")}`);
}

/** Replaces `:name` by the value and `:'name'` by the value as a literal. A value may use other variables. A cast (`::text`) is no variable. */
export function expand(
  text: string,
  values: ReadonlyMap<string, string>,
  used: Set<string>,
  unknown: (name: string) => string,
  within: readonly string[] = [],
): string {
  return text.replaceAll(/(?<![:\w]):('?)([a-z][a-z_]*)\1(?!\w)/g, (_, quote: string, name: string) => {
    const value = values.get(name);
    if (value === undefined) return unknown(name);
    if (within.includes(name)) throw new Error(`the value of :${name} uses itself: ${[...within, name].join(" → ")}`);
    used.add(name);
    const expanded = expand(value, values, used, unknown, [...within, name]);
    return quote === "" ? expanded : `'${expanded.replaceAll("'", "''")}'`;
  });
}

const readVariables = (file: string, path: string): Map<string, string> =>
  existsSync(path) ? parseVariables(file, readFileSync(path, "utf8")) : new Map();

/** Reads lines of `\set name value`. The value is the rest of the line as it is, with its quotes (psql takes them off), and indented lines continue it. Comments start with `--`. */
export function parseVariables(file: string, text: string): Map<string, string> {
  const values = new Map<string, string>();
  let last: string | undefined;
  text.split("\n").forEach((line, index) => {
    const said = line.replace(/(^|\s)--( .*)?$/, "").trimEnd();
    const [, name, value = ""] = /^\\set ([a-z][a-z_]*)(?: +(.*))?$/.exec(said) ?? [];
    if (name !== undefined) {
      if (values.has(name)) throw new Error(`${file}: line ${index + 1} sets ${name} again`);
      values.set(name, value);
      last = name;
    } else if (/^\s+\S/.test(said) && last !== undefined) {
      values.set(last, `${values.get(last)} ${said.trim()}`.trim());
    } else if (said !== "") {
      throw new Error(`${file}: line ${index + 1} is not \\set, a continuation or a comment: ${line}`);
    }
  });
  return values;
}
