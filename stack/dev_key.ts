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

/** Every system that takes keys has the operators' health route. */
async function works({ urls }: KenriServer, key: string): Promise<boolean> {
  const answers = await Promise.all(
    systems.filter(takesKeys).map(({ name }) => fetch(`${urls[name]}/ops/health`, { headers: { authorization: `Bearer ${key}` } })),
  );
  return answers.every(answer => answer.status === 200);
}
