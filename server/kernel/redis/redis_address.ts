import { accessSync, constants, readFileSync } from "node:fs";

/** Where Redis is, who we are there, and how we know it. */
export interface RedisAddress {
  /** `redis://host:port`, or `rediss://` for TLS; a user and a password may stand before the host. */
  readonly url: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** PEM files: the authority that vouches for the server, and our own certificate with its key. */
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** The same in the form that the clients take. */
export interface RedisLogin {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly url: string;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

const isTls = (url: string) => /^(rediss|valkeys):/.test(url);
const isKnown = (url: string) => /^(redis|rediss|valkey|valkeys):\/\/[^/?#]/.test(url);
const fileVariables = { caFile: "REDIS_CA_FILE", certFile: "REDIS_CERT_FILE", keyFile: "REDIS_KEY_FILE" } as const;

/** Reads the files anew each time: a certificate is renewed while the process runs. */
export function redisLogin({ url, user, password, caFile, certFile, keyFile }: RedisAddress): RedisLogin {
  const address = new URL(url);
  const read = (name: string, file: string | undefined) => (file === undefined ? {} : { [name]: readFileSync(file, "utf8") });
  if (user !== undefined) address.username = encodeURIComponent(user);
  if (password !== undefined) address.password = encodeURIComponent(password);
  return {
    host: address.hostname.replace(/^\[|\]$/g, ""),
    port: Number(address.port || 6379),
    user: decodeURIComponent(address.username) || undefined,
    password: decodeURIComponent(address.password) || undefined,
    url: address.href,
    tls: isTls(url) ? { ...read("ca", caFile), ...read("cert", certFile), ...read("key", keyFile) } : undefined,
  };
}

/** What is wrong with these settings together. */
export function redisAddressProblems(address: RedisAddress): string[] {
  const { url, user, password, certFile, keyFile } = address;
  const named = URL.parse(url);
  const files = (Object.keys(fileVariables) as (keyof typeof fileVariables)[]).filter(name => address[name] !== undefined);
  return [
    ...(isKnown(url) ? [] : ["REDIS_URL must be redis://host:port, or rediss://host:port for TLS"]),
    ...(named?.password && password ? ["REDIS_URL has a password and REDIS_PASSWORD is set too: set one of them"] : []),
    ...(named?.username && user ? ["REDIS_URL names a user and REDIS_USER is set too: set one of them"] : []),
    ...((named?.username || user) && !(named?.password || password) ? ["REDIS_USER has no password: set REDIS_PASSWORD"] : []),
    ...(files.length > 0 && !isTls(url)
      ? [`${files.map(name => fileVariables[name]).join(", ")} is for TLS: write rediss:// in REDIS_URL`]
      : []),
    ...((certFile === undefined) === (keyFile === undefined) ? [] : ["REDIS_CERT_FILE and REDIS_KEY_FILE belong together: set both"]),
    ...files
      .filter(name => !isReadable(address[name]!))
      .map(name => `${fileVariables[name]}: the file ${JSON.stringify(address[name])} cannot be read here`),
  ];
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
