export interface NatsUrl {
  readonly variable: string;
  readonly servers: readonly string[];
  readonly tls: boolean;
  readonly credentials: NatsCredentials | undefined;
}

export type NatsCredentials = { readonly user: string; readonly pass: string } | { readonly token: string };

/**
 * Servers separated by commas, each `nats://` or `tls://` (`nats://` may be left out), with `user:password@` or `token@` before one or all of them.
 * The client takes one set of credentials for all servers, so two different ones are not allowed. Undefined for anything else.
 */
export function readNatsUrl(value: string): Omit<NatsUrl, "variable"> | undefined {
  const urls = value.split(",").map(readServer);
  const known = urls.filter(url => url !== undefined);
  if (known.length !== urls.length) return undefined;
  const [credentials, ...others] = new Map(
    known.flatMap(url => (url.credentials ? [[JSON.stringify(url.credentials), url.credentials]] : [])),
  ).values();
  if (others.length > 0) return undefined;
  return { servers: known.map(({ server }) => server), tls: known.some(({ tls }) => tls), credentials };
}

function readServer(given: string) {
  const trimmed = given.trim();
  const url = URL.parse(trimmed.includes("://") ? trimmed : `nats://${trimmed}`);
  if (!url || !["nats:", "tls:"].includes(url.protocol) || !url.hostname || !/^\/?$/.test(url.pathname) || url.search || url.hash)
    return undefined;
  try {
    return { server: url.host, tls: url.protocol === "tls:", credentials: credentialsOf(url) };
  } catch {
    return undefined; // a percent sign that encodes nothing, or a password of nobody
  }
}

function credentialsOf({ username, password }: URL): NatsCredentials | undefined {
  if (!username && password) throw new URIError("a password without a user");
  if (!username) return undefined;
  const user = decodeURIComponent(username);
  return password ? { user, pass: decodeURIComponent(password) } : { token: user };
}
