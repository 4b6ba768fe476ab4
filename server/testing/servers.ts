import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../../stack/scratch.ts";
import { forgetStack, type ServerCertificate, type ServerName, type Stack, startStack } from "../../stack/stack.ts";

/** Servers of a test's own, to be killed, paused and wiped. */
export const privateServers = <const Name extends ServerName>(...servers: readonly Name[]): Promise<Stack<Name>> => ownServers(servers);

/** The same with TLS, and nothing without it. */
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

/** Cuts off the end of a stream in the store of a NATS that is down, and leaves this share of its last file. The server will not mind. */
export function cutStream(stack: { readonly dir: string }, stream: string, share: number): void {
  const folder = join(stack.dir, "nats", "jetstream", "$G", "streams", stream, "msgs");
  const number = (name: string) => Number(name.split(".")[0]);
  const [last] = readdirSync(folder)
    .filter(name => name.endsWith(".blk"))
    .sort((a, b) => number(b) - number(a));
  const file = join(folder, last!);
  truncateSync(file, Math.floor(statSync(file).size * share));
}
