import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { makeProvider } from "../../stack/idp/provider.ts";
import { freePort } from "./gateway.ts";

/** The dev identity provider as in a deployment: browsers reach it at one address, the gateway at another. */
export interface SplitIdp {
  readonly issuer: string;
  readonly internalUrl: string;
  readonly environment: Record<string, string>;
  /** Paths that the gateway requested, at the address for it and at the one for browsers. */
  readonly asked: { readonly inside: string[]; readonly outside: string[] };
  close(): Promise<void>;
}

const isForGateway = (path: string) => /^\/(\.well-known|token|jwks|me)\b/.test(path);

export async function splitIdp(): Promise<SplitIdp> {
  const [port, internalPort] = [await freePort(), await freePort()];
  const [issuer, internalUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${internalPort}`];
  const [clientId, clientSecret] = ["kenri", crypto.randomUUID()];
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const signingKey = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "one" };
  const provider = makeProvider({ issuer, clientId, clientSecret, cookieKey: crypto.randomUUID(), signingKey: signingKey as never });
  const answer = provider.callback();
  const asked = { inside: [] as string[], outside: [] as string[] };
  const listen = (at: number, handle: (request: IncomingMessage, response: ServerResponse) => void) =>
    new Promise<Server>(resolve => {
      const server = createServer(handle).listen(at, "127.0.0.1", () => resolve(server));
    });
  const servers = await Promise.all([
    listen(port, (request, response) => {
      const path = request.url!.split("?")[0]!;
      if (!isForGateway(path)) return answer(request, response);
      asked.outside.push(path);
      response.writeHead(403).end();
    }),
    listen(internalPort, (request, response) => {
      asked.inside.push(request.url!.split("?")[0]!);
      request.headers.host = new URL(issuer).host; // as Keycloak with KC_HOSTNAME: it publishes its public address at every address
      answer(request, response);
    }),
  ]);
  return {
    issuer,
    internalUrl,
    environment: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
    asked,
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise(resolve => server.close(resolve));
      }
    },
  };
}
