import { readSecret, writeSecret } from "./secret_file.ts";

/** `.stack/dev.env`: the addresses and keys of the running dev stack. `. .stack/dev.env` reads it in a shell. */
export function writeDevEnv(file: string, variables: Record<string, string>): void {
  const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}\n`);
  writeSecret(file, lines.join(""));
}

export function readDevEnv(file: string): Record<string, string> {
  const lines = (readSecret(file) ?? "").matchAll(/^([A-Z_]+)='(.*)'$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value.replaceAll(`'\\''`, "'")]));
}
