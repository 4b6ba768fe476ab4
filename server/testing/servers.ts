import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../../stack/scratch.ts";
import { forgetStack, type ServerCertificate, type ServerName, type Stack, startStack } from "../../stack/stack.ts";

/** Private servers of a test, which it may kill, pause and wipe. */
export const privateServers = <const Name extends ServerName>(...servers: readonly Name[]): Promise<Stack<Name>> => ownServers(servers);

/** The same, reachable only with TLS. */
export const tlsServers = <const Name extends ServerName>(
  certificate: ServerCertificate,
  ...servers: readonly Name[]
): Promise<Stack<Name>> => ownServers(servers, { certificate });

async function ownServers<Name extends ServerName>(
  servers: readonly Name[],
  more: { readonly certificate?: ServerCertificate } = {},
): Promise<Stack<Name>> {
  const stack = await startStack<Name>({ dir: scratchFolder(), servers, environment: {}, natsForTests: true, ...more });
  return {
    ...stack,
    async stop() {
      await stack.stop();
      forgetStack(stack.dir);
    },
  };
}

/** Truncates the last file of a stream in the store of a stopped NATS to this share. The server reports no error when it starts. */
export function cutStream(stack: { readonly dir: string }, stream: string, share: number): void {
  const folder = join(stack.dir, "nats", "jetstream", "$G", "streams", stream, "msgs");
  const number = (name: string) => Number(name.split(".")[0]);
  const [last] = readdirSync(folder)
    .filter(name => name.endsWith(".blk"))
    .sort((a, b) => number(b) - number(a));
  const file = join(folder, last!);
  truncateSync(file, Math.floor(statSync(file).size * share));
}
