// The identity provider for development, as a process: `bun stack/idp/main.ts <port> <folder of its secrets>`.
import { createServer } from "node:http";
import { makeProvider } from "./provider.ts";
import { readClient, signingKey } from "./secrets.ts";

const [port = "", folder = ""] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const provider = makeProvider({ issuer, ...readClient(folder), signingKey: await signingKey(folder) });
provider.on("server_error", (_context: unknown, error: Error) => console.error(error));
const server = createServer(provider.callback()).listen(Number(port), "127.0.0.1", () => console.log(`${issuer} is ready`));

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
}
