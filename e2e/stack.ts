/** A variable of the running system, as in `.stack/dev.env`. */
export function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the tests with \`bun run e2e\``);
  return value;
}
