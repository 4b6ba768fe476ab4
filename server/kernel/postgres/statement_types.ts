import { connect } from "./database.ts";
import { type Description, describeStatement, readStatements, type Statement } from "./statements.ts";

const scalars: Record<string, string> = {
  text: "string",
  varchar: "string",
  uuid: "string",
  timestamptz: "string",
  int4: "number",
  int8: "number",
  float8: "number",
  bool: "boolean",
  jsonb: "Json",
  bytea: "Uint8Array",
};

/** The TypeScript text of all statements of a system: an interface a statement for parameters and rows, and the tree that holds them. */
export async function typesOf(url: string, system: string): Promise<string> {
  const sql = connect({ url, name: "kenri generate", max: 1, statementTimeout: 10_000 });
  try {
    const names = new Map((await sql`select oid::int, typname from pg_type`).map(row => [row.oid as number, row.typname as string]));
    const parts: string[] = [];
    const statements = readStatements(["kernel", system]);
    for (const statement of statements) parts.push(interfacesOf(statement, await describeStatement(sql, statement), names));
    return [
      "// Generated from sql/ by `bun run generate`; do not edit.",
      "export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };",
      ...parts,
      `export interface ${pascal([system])}Sql ${treeOf(statements)}`,
      "",
    ].join("\n\n");
  } finally {
    await sql.end();
  }
}

const pascal = (words: readonly string[]) =>
  words
    .flatMap(word => word.split("_"))
    .map(word => word[0]!.toUpperCase() + word.slice(1))
    .join("");

function typeOf(oid: number, names: ReadonlyMap<number, string>, nullable: boolean, where: string): string {
  const name = names.get(oid) ?? "";
  const array = name.startsWith("_");
  const scalar = scalars[array ? name.slice(1) : name];
  if (!scalar) throw new Error(`${where}: no TypeScript type is known for ${name || oid}`);
  if (!array) return nullable ? `${scalar} | null` : scalar;
  return nullable ? `readonly (${scalar} | null)[]` : `readonly ${scalar}[]`;
}

function interfacesOf(statement: Statement, { parameterTypes, columns }: Description, names: ReadonlyMap<number, string>): string {
  const name = pascal(statement.path);
  const parameters = statement.parameters.map(
    (parameter, index) => `  ${parameter.name}: ${typeOf(parameterTypes[index]!, names, parameter.nullable, statement.file)};`,
  );
  const row = columns.map(
    (column, index) => `  ${column.name}: ${typeOf(column.type, names, statement.columns[index]!.nullable, statement.file)};`,
  );
  const empty = parameters.length === 0;
  return `${empty ? "" : `export interface ${name}Parameters {\n${parameters.join("\n")}\n}\n`}export interface ${name}Row {\n${row.join("\n")}\n}`;
}

interface Tree {
  [name: string]: Tree | Statement;
}

function treeOf(statements: readonly Statement[]): string {
  const tree: Tree = {};
  for (const statement of statements) {
    const folder = statement.path.slice(0, -1).reduce<Tree>((node, part) => {
      node[part] ??= {};
      return node[part] as Tree;
    }, tree);
    folder[statement.path.at(-1)!] = statement;
  }
  return printTree(tree, "");
}

function printTree(tree: Tree, indent: string): string {
  const lines = Object.entries(tree).map(([name, node]) => {
    if (!isStatement(node)) return `${indent}  ${name}: ${printTree(node, `${indent}  `)};`;
    const type = pascal(node.path);
    const parameters = node.parameters.length > 0 ? `parameters: ${type}Parameters` : "";
    return `${indent}  ${name}(${parameters}): Promise<${type}Row[]>;`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

const isStatement = (node: Tree | Statement): node is Statement => Array.isArray((node as Statement).path);
