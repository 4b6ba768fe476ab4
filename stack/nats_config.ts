/**
 * `bun stack/nats_config.ts`: the users of NATS as its server reads them. `--write` writes them into stack/nats/kenri.conf, and the table of
 * docs/security.md, both from the declarations of the systems. A test fails if either differs.
 */
import { join } from "node:path";
import { natsUserOf } from "../server/kernel/config/nats_access.ts";
import { inboxOf, type NameOf, type Permission } from "../server/kernel/nats/permissions.ts";
import { checkout } from "./checkout.ts";
import { answerHelp } from "./help.ts";
import { defaultNames, namesIn, nameVariables, permissionsOf } from "./nats_permissions.ts";

export const configFile = join(checkout, "stack", "nats", "kenri.conf");
export const documentFile = join(checkout, "docs", "security.md");
export const administrator = "administrator";

/** The variable with the password of a user, in the server's configuration. */
export const passwordVariable = (user: string) => `KENRI_NATS_${user.toUpperCase()}_PASSWORD`;

/** The block `authorization` of the server's configuration: one user for each role, and the administrator. */
export const usersConfig = (
  names: NameOf,
): string => `# Written by \`bun stack/nats_config.ts --write\` from the permissions that the systems declare.
# Each password is the value of an environment variable. Give it in double quotes, so that the server never reads it as a number.
authorization {
  timeout: 5
  users: [
    { user: "${administrator}", password: ${`$${passwordVariable(administrator)}`} }
${Object.entries(permissionsOf(names))
  .map(
    ([role, { publish, subscribe }]) => `    {
      user: "${natsUserOf(role)}", password: ${`$${passwordVariable(natsUserOf(role))}`}
      permissions: {
        publish: ${permission(publish.map(({ subject }) => subject))}
        subscribe: ${permission([inboxOf(role), ...subscribe.map(({ subject }) => subject)])}
      }
    }`,
  )
  .join("\n")}
  ]
}
`;

/** An empty list would allow everything. */
const permission = (subjects: readonly string[]): string =>
  subjects.length === 0 ? `{ deny: [">"] }` : `{ allow: [\n${subjects.map(subject => `          "${subject}"`).join("\n")}\n        ] }`;

const begin = "<!-- permissions at NATS: written by `bun stack/nats_config.ts --write` -->";
const end = "<!-- end of permissions at NATS -->";

function permissionsTable(): string {
  const rows = Object.entries(permissionsOf(defaultNames)).flatMap(([role, { publish, subscribe }]) => {
    const row =
      (may: string) =>
      ({ subject, purpose }: Permission) => [`\`${role}\``, may, `\`${subject}\``, purpose];
    const own = { subject: inboxOf(role), purpose: "receives replies" };
    return [...publish.map(row("publish")), ...[...subscribe, own].map(row("subscribe"))];
  });
  const all = [["role", "may", "subject", "why"], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map(cells => cells[column]!.length)));
  const lines = all.toSpliced(
    1,
    0,
    widths.map(width => "-".repeat(width)),
  );
  return lines.map(cells => `| ${cells.map((text, column) => text.padEnd(widths[column]!)).join(" | ")} |`).join("\n");
}

/** The document with its table from the code. */
export function writtenDocument(document: string): string {
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/security.md lacks the lines ${begin} and ${end}`);
  return `${before}${begin}\n\n${permissionsTable()}\n\n${end}${after}`;
}

async function main(): Promise<void> {
  answerHelp(usage, { takes: argument => argument === "--write" });
  if (!process.argv.includes("--write")) return console.log(usersConfig(namesIn(process.env)));
  await Bun.write(configFile, usersConfig(defaultNames));
  await Bun.write(documentFile, writtenDocument(await Bun.file(documentFile).text()));
}

const usage = `usage: bun stack/nats_config.ts [--write]

Prints the users of NATS with their permissions, for the server's configuration. These variables name streams, consumers and subjects:
${nameVariables().join(", ")}.
--write: with the defaults into stack/nats/kenri.conf, and the table of docs/security.md.`;

if (import.meta.main) await main();
