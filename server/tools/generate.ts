/**
 * Writes the TypeScript types of every SQL statement, as PostgreSQL describes them: `bun server/tools/generate.ts [--verify]`.
 * KENRI_TEST_POSTGRES_URL names a server to describe against; without it one is started.
 */
import { join } from "node:path";
import { typesOf } from "../kernel/postgres/statement_types.ts";
import { freshDatabase } from "../testing/databases.ts";

const systems = ["entitlement", "notification", "account"] as const;
const verify = process.argv.includes("--verify");

async function main(adminUrl: string): Promise<number> {
  let drifted = 0;
  for (const system of systems) {
    const database = await freshDatabase(system, adminUrl);
    const file = join(import.meta.dir, "..", system, "sql.gen.ts");
    const text = await typesOf(database.ownerUrl, system).finally(() => database.drop());
    const there = await Bun.file(file)
      .text()
      .catch(() => "");
    if (there === text) continue;
    drifted++;
    if (verify) console.error(`${system}/sql.gen.ts does not fit sql/${system}: run \`bun run generate\``);
    else await Bun.write(file, text);
  }
  console.log(verify ? `${drifted} generated files drifted` : `${drifted} generated files written`);
  return verify && drifted > 0 ? 1 : 0;
}

async function withServer(work: (adminUrl: string) => Promise<number>): Promise<number> {
  const given = process.env.KENRI_TEST_POSTGRES_URL;
  if (given) return work(given);
  const { forgetStack, startStack } = await import("../../stack/stack.ts");
  const dir = join(import.meta.dir, `../../.stack/generate-${process.pid}`);
  const stack = await startStack({ dir, servers: ["postgres"], say: () => {} });
  try {
    return await work(stack.postgres.adminUrl);
  } finally {
    await stack.stop();
    forgetStack(dir);
  }
}

process.exit(await withServer(main));
