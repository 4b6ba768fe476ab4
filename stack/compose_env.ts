// `bun stack/compose_env.ts`: writes `.env` with a random value for every password and secret that compose.yaml needs. Existing values stay, because
// the databases already use them. Only the owner can read the file.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { answerHelp } from "./help.ts";
import { newPassword, readSecret, writeSecret } from "./secret_file.ts";

/** Every variable that compose.yaml requires: `${NAME:?…}`. */
export const requiredVariables = (compose: string): string[] => [
  ...new Set([...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name = ""]) => name)),
];

/** The text of an `.env` with all variables. New values have only letters, digits, - and _, because they become part of URLs. */
export function completeEnv(existing: string, variables: readonly string[]): { text: string; added: string[] } {
  const known = new Set([...existing.matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm)].map(([, name]) => name));
  const added = variables.filter(name => !known.has(name));
  const before = existing === "" || existing.endsWith("\n") ? existing : `${existing}\n`;
  return { text: before + added.map(name => `${name}=${newValue(name)}\n`).join(""), added };
}

/** Signing keys have an id, so that they can be rotated. */
const newValue = (name: string) => (name.endsWith("_KEYS") ? `k1:${newPassword()}` : newPassword());

function main(): void {
  answerHelp(`usage: npx bun stack/compose_env.ts

Writes .env for \`docker compose\`: a random value for every password and secret of compose.yaml that is not in .env yet.`);
  const file = join(checkout, ".env");
  const { text, added } = completeEnv(readSecret(file) ?? "", requiredVariables(readFileSync(join(checkout, "compose.yaml"), "utf8")));
  writeSecret(file, text); // also if nothing is added: it sets the file mode
  console.log(added.length === 0 ? `${file} has everything already` : `${file}: added ${added.join(", ")}`);
}

if (import.meta.main) main();
