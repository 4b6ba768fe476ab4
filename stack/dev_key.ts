import { checkout } from "./checkout.ts";
import { runOrFail } from "./command.ts";
import type { KenriServer } from "./dev_server.ts";

const scopes = "entitlements:read,entitlements:write,ops:read,ops:write";

/** The key of the last start if the services still take it, otherwise a new one. */
export async function ensureApiKey(kenri: KenriServer, earlier: string | undefined): Promise<string> {
  if (earlier && (await works(kenri, earlier))) return earlier;
  const command = [process.execPath, "server/cli/keys.ts", "create", "--client", "dev", "--scopes", scopes, "--json"];
  const output = await runOrFail("making an API key", command, { cwd: checkout, env: kenri.env });
  const made = JSON.parse(output.slice(output.indexOf("{"))) as { key: string };
  return made.key;
}

async function works({ urls }: KenriServer, key: string): Promise<boolean> {
  const paths = [`${urls.entitlement}/v1/users/demo/entitlements`, `${urls.notification}/debug/notification/inbox/demo`];
  const answers = await Promise.all(paths.map(path => fetch(path, { headers: { authorization: `Bearer ${key}` } })));
  return answers.every(answer => answer.status === 200);
}
