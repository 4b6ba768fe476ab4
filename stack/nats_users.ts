import { createHmac } from "node:crypto";
import { natsUserOf } from "../server/kernel/config/nats_access.ts";
import { administrator, passwordVariable } from "./nats_config.ts";
import { defaultNames, permissionsOf } from "./nats_permissions.ts";

const roles = Object.keys(permissionsOf(defaultNames));

/** A role's password is derived from the administrator's, one way: a stack keeps one secret. */
const passwordOf = (secret: string, user: string) =>
  user === administrator ? secret : createHmac("sha256", secret).update(user).digest("base64url");

/** The variables in the server's configuration. In quotes, because the server reads some texts as numbers. */
export const passwordVariables = (secret: string): Record<string, string> =>
  Object.fromEntries([administrator, ...roles.map(natsUserOf)].map(user => [passwordVariable(user), `"${passwordOf(secret, user)}"`]));

export const administratorUrl = (port: number, secret: string) => `nats://${administrator}:${secret}@127.0.0.1:${port}`;

/** `ENTITLEMENT_RELAY_NATS_URL` and so on, for a stack's server by its administrator's URL; empty for any other server. */
export function roleUrls(url: string): Record<string, string> {
  const { username, password, host } = new URL(url);
  if (username !== administrator) return {};
  return Object.fromEntries(
    roles.map(role => {
      const user = natsUserOf(role);
      return [`${user.toUpperCase()}_NATS_URL`, `nats://${user}:${passwordOf(password, user)}@${host}`];
    }),
  );
}

/** Connection options for a URL with credentials: the client ignores credentials in its servers. */
export function credentialsOf(url: string): { servers: string; user?: string; pass?: string } {
  const { host, username, password } = new URL(url);
  return username ? { servers: host, user: decodeURIComponent(username), pass: decodeURIComponent(password) } : { servers: host };
}
