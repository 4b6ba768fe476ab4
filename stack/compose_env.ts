// `bun stack/compose_env.ts`: writes `.env` with a random value for every password and secret that compose.yaml asks for. What is there stays: the
// databases know it already. Only its owner can read the file.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { answerHelp } from "./help.ts";
import { newPassword, readSecret, writeSecret } from "./secret_file.ts";

/** Every variable without which compose.yaml does not start: `${NAME:?…}`. */
export const requiredVariables = (compose: string): string[] => [
  ...new Set([...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name = ""]) => name)),
];

/** The text of an `.env` with all of them, those that are missing with a value of letters, digits, - and _: they become part of URLs. */
export function completeEnv(existing: string, variables: readonly string[]): { text: string; added: string[] } {
  const known = new Set([...existing.matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm)].map(([, name]) => name));
  const added = variables.filter(name => !known.has(name));
  const before = existing === "" || existing.endsWith("\n") ? existing : `${existing}\n`;
  return { text: before + added.map(name => `${name}=${newValue(name)}\n`).join(""), added };
}

/** Keys have an id, so that one can follow the other. */
const newValue = (name: string) => (name.endsWith("_KEYS") ? `k1:${newPassword()}` : newPassword());

function main(): void {
  answerHelp(`usage: npx bun stack/compose_env.ts

Writes .env for \`docker compose\`: a random value for every password and secret of compose.yaml that .env does not have yet.`);
  const file = join(checkout, ".env");
  const { text, added } = completeEnv(readSecret(file) ?? "", requiredVariables(readFileSync(join(checkout, "compose.yaml"), "utf8")));
  writeSecret(file, text); // also when nothing is added: so that nobody else can read it
  console.log(added.length === 0 ? `${file} has everything already` : `${file}: added ${added.join(", ")}`);
}

if (import.meta.main) main();
