import type postgres from "postgres";

/**
 * The value of a column: a number, or an SQL expression such as `now()`, `quoted(user)` or, for many rows, `'user-' || n`.
 * null leaves the column out, so that it gets its default.
 */
export type Columns<Column extends string> = Readonly<Partial<Record<Column, string | number | null>>>;

type Presets<Column extends string> = (given: Readonly<Record<Column, string | undefined>>) => Columns<Column>;

type Client = Pick<postgres.Sql, "unsafe">;

/** Makes rows of one table. A caller names the columns it cares about; the others have presets. */
export interface RowFactory<Column extends string> {
  /** The statement, for large sets and as a part of a larger statement. `from` is the source of the rows, such as `generate_series(1, 1000) n`. */
  text(columns: Columns<Column>, from?: string): string;
  /** Inserts rows, one if there is no `from`. Returns their ids. */
  put(sql: Client, columns?: Columns<Column>, from?: string): Promise<string[]>;
  /** Inserts rows that are given as values. All have the columns of the first one. */
  putValues(sql: Client, rows: readonly Readonly<Partial<Record<Column, unknown>>>[]): Promise<void>;
}

/** `facts` are names that only the presets use; the table has no such columns. */
export function rowFactory<Column extends string>(
  table: string,
  id: Column,
  presets: Presets<Column>,
  facts: readonly Column[] = [],
): RowFactory<Column> {
  function text(columns: Columns<Column>, from?: string): string {
    const given = Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, value === null ? undefined : `${value}`]));
    const values = Object.entries({ ...presets(given as Record<Column, string | undefined>), ...columns }).filter(
      ([name, value]) => value !== null && value !== undefined && !facts.includes(name as Column),
    );
    const names = values.map(([name]) => name).join(", ");
    return `insert into ${table} (${names}) select ${values.map(([, value]) => value).join(", ")}${from ? ` from ${from}` : ""}`;
  }
  return {
    text,
    put: async (sql, columns = {} as Columns<Column>, from) =>
      (await sql.unsafe(`${text(columns, from)} returning ${id}`)).map(row => row[id] as string),
    async putValues(sql, rows) {
      if (rows.length === 0) return;
      const named = new Set(Object.keys(rows[0]!));
      const other = rows.flatMap(row => Object.keys(row)).find(name => !named.has(name));
      if (other) throw new Error(`${table}: the first row has no ${other}, so no row could have it`);
      const columns = Object.fromEntries(Object.keys(rows[0]!).map(name => [name, `r.${name}`]));
      await sql.unsafe(text(columns as Columns<Column>, `jsonb_populate_recordset(null::${table}, ${quoted(rows)}) r`));
    },
  };
}

/** A value as an SQL literal. */
export function quoted(value: string | number | boolean | object | null): string {
  if (value === null) return "null";
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  if (typeof value === "object") return `${quoted(JSON.stringify(value))}::jsonb`;
  return `'${value.replaceAll("'", "''")}'`;
}
