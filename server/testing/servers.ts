import { scratchFolder } from "../../stack/scratch.ts";
import { forgetStack, type ServerName, type Stack, startStack } from "../../stack/stack.ts";

/** Servers of a test's own, to be killed, paused and wiped. */
export async function privateServers<const Name extends ServerName>(...servers: readonly Name[]): Promise<Stack<Name>> {
  const stack = await startStack<Name>({ dir: scratchFolder(), servers, environment: {} });
  return {
    ...stack,
    async stop() {
      await stack.stop();
      forgetStack(stack.dir);
    },
  };
}
