import postgres from "postgres";
import { prefixOf } from "../server/kernel/config/system_settings.ts";
import { takesKeys } from "../server/kernel/system/system.ts";
import { allScopes, systems } from "../server/systems.ts";
import { checkout } from "./checkout.ts";
import { runOrFail } from "./command.ts";
import type { KenriServer } from "./dev_server.ts";

/** The key of the last start if every system still accepts it, otherwise a new one with every scope. */
export async function ensureApiKey(kenri: KenriServer, earlier: string | undefined): Promise<string> {
  if (earlier && (await works(kenri, earlier))) return earlier;
  const command = [process.execPath, "server/cli/keys.ts", "create", "--client", "dev", "--scopes", allScopes.join(","), "--json"];
  const output = await runOrFail("making an API key", command, { cwd: checkout, env: kenri.env });
  const made = JSON.parse(output.slice(output.indexOf("{"))) as { key: string };
  return made.key;
}

/** Every system that takes keys has the operators' health route. A scope that is new since the last start needs a new key. */
async function works({ urls, env }: KenriServer, key: string): Promise<boolean> {
  const answers = await Promise.all(
    systems.filter(takesKeys).map(async ({ name }) => {
      const { status } = await fetch(`${urls[name]}/ops/health`, { headers: { authorization: `Bearer ${key}` } });
      return status === 200 && (await hasEveryScope(env[`${prefixOf(name)}_DATABASE_URL`]!, key));
    }),
  );
  return answers.every(Boolean);
}

async function hasEveryScope(ownerUrl: string, key: string): Promise<boolean> {
  const sql = postgres(ownerUrl, { max: 1 });
  try {
    const [stored] = await sql<{ scopes: string[] }[]>`select scopes from api_keys where key_id = ${key.split("_")[1]!}`;
    return allScopes.every(scope => stored?.scopes.includes(scope));
  } finally {
    await sql.end();
  }
}
