import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { ensureClient, forgetSigningKey } from "./idp/secrets.ts";
import { endLeftover } from "./leftover.ts";
import { notOurs } from "./not_ours.ts";
import { choosePort } from "./ports.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import type { StackContext } from "./stack.ts";

/** An OpenID provider with demo users, for development and tests. */
export interface IdpServer extends ServerProcess {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Deletes the signing key; the next start makes another one. Only while it is down. */
  wipe(): void;
}

export async function startIdp({ dir, say, environment, watchdog, onGiveUp }: StackContext): Promise<IdpServer> {
  if (environment.OIDC_ISSUER) return fromEnvironment(environment.OIDC_ISSUER, environment);
  await endLeftover(dir, "idp");
  const port = await choosePort(dir, "idp");
  const issuer = `http://127.0.0.1:${port}`;
  const folder = join(dir, "idp");
  const { clientId, clientSecret } = ensureClient(folder);
  const server = superviseServer({
    name: "idp",
    dir,
    command: [process.execPath, join("stack", "idp", "main.ts"), String(port), folder],
    cwd: checkout,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production" },
    ready: () => answers(issuer),
    readyWithin: 30_000,
    watchdog,
    onGiveUp,
    say,
  });
  await server.start();
  return Object.assign(server, {
    issuer,
    clientId,
    clientSecret,
    wipe() {
      if (server.pid !== undefined) throw new Error("The IdP is running: halt() or stop() it before wipe()");
      forgetSigningKey(folder);
    },
  });
}

async function answers(issuer: string): Promise<boolean> {
  return (await fetch(`${issuer}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(1_000) })).ok;
}

function fromEnvironment(issuer: string, { OIDC_CLIENT_ID, OIDC_CLIENT_SECRET }: StackContext["environment"]): IdpServer {
  if (!OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) {
    throw new Error("OIDC_ISSUER is set, so OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set too");
  }
  return { ...notOurs("idp", "OIDC_ISSUER"), issuer, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET };
}
