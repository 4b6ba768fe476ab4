import { readFileSync } from "node:fs";
import { type ConnectionOptions, credsAuthenticator } from "@nats-io/transport-node";
import { optional, type Setting, type Settings, secret, secretForm, text } from "./config.ts";
import { type NatsUrl, readNatsUrl } from "./nats_url.ts";

const form =
  "NATS servers separated by commas, e.g. nats://host:4222 or tls://host, with user:password@ or token@ percent-encoded before the host";

/** The servers, and the credentials if the URL has any. */
const natsUrl = (variable: string, about: string) =>
  secretForm<NatsUrl>(variable, about, form, value => {
    const url = readNatsUrl(value);
    return url && { ...url, variable };
  });

/** How every role connects that has no URL of its own. */
export const natsSettings = {
  url: optional(
    natsUrl(
      "NATS_URL",
      "the NATS servers with JetStream, separated by commas, e.g. nats://127.0.0.1:4222; may have user:password@ or token@, percent-encoded; required by roles without a URL of their own",
    ),
  ),
  user: optional(text("NATS_USER", "the user at NATS, for URLs without credentials")),
  password: optional(secret("NATS_PASSWORD", "the password of NATS_USER")),
  token: optional(secret("NATS_TOKEN", "a token in place of user and password, for URLs without credentials")),
  credsFile: optional(text("NATS_CREDS_FILE", "the path of a .creds file (JWT and key), for URLs without credentials")),
  caFile: optional(text("NATS_CA_FILE", "the path of the CA certificates that NATS is checked against; NATS must then use TLS")),
  certFile: optional(text("NATS_CERT_FILE", "the path of the client certificate that is shown to NATS")),
  keyFile: optional(text("NATS_KEY_FILE", "the path of its private key")),
} as const;

export type NatsSettings = Settings<typeof natsSettings>;

/** What is wrong with the settings together. */
export function natsProblems({ user, password, token, credsFile, certFile, keyFile }: NatsSettings): string[] {
  const ways = { NATS_USER: user, NATS_TOKEN: token, NATS_CREDS_FILE: credsFile };
  const given = Object.entries(ways).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [
    ...(given.length > 1 ? [`${given.join(" and ")} are set: NATS takes one kind of credentials`] : []),
    ...((user === undefined) === (password === undefined) ? [] : ["NATS_USER and NATS_PASSWORD belong together: set both or neither"]),
    ...((certFile === undefined) === (keyFile === undefined)
      ? []
      : ["NATS_CERT_FILE and NATS_KEY_FILE belong together: set both or neither"]),
  ];
}

type RoleUrls<Role extends string = string> = { readonly [R in Role]: Setting<NatsUrl | undefined> };
const variableOf = (role: string) => `${role.toUpperCase().replace(":", "_")}_NATS_URL`;

/** `ENTITLEMENT_RELAY_NATS_URL` for the role `entitlement:relay`, and so on: roles in one process have users of their own at NATS. */
export const roleNatsUrls = <const Role extends string>(...roles: readonly Role[]): RoleUrls<Role> =>
  Object.fromEntries(
    roles.map(role => [role, optional(natsUrl(variableOf(role), `NATS_URL for ${role} alone, with the user of that role`))]),
  ) as RoleUrls<Role>;

/** What is wrong with the URLs of these roles: none is set, or, in production, nobody proves who connects. */
export function natsUrlProblems(roles: readonly string[], common: NatsSettings, own: Settings<RoleUrls>, isProduction: boolean): string[] {
  const { user, token, credsFile, certFile } = common;
  const isProven = [user, token, credsFile, certFile].some(proof => proof !== undefined);
  return roles
    .filter(role => role in own)
    .flatMap(role => {
      const url = own[role] ?? common.url;
      if (!url) return [`${variableOf(role)} or NATS_URL is not set: ${role} needs NATS with JetStream`];
      if (url.credentials || isProven || !isProduction) return [];
      return [`NATS has no credentials with KENRI_ENV=production: write user and password into ${url.variable}, or set ${ways}`];
    });
}

const ways = "NATS_USER and NATS_PASSWORD, NATS_TOKEN, NATS_CREDS_FILE or NATS_CERT_FILE";

/** All that a connection of a role needs. */
export interface NatsAccess {
  /** Replies to this role come below it; a role may subscribe to no other's. */
  readonly inboxPrefix: string;
  /** Whose credentials they are, for people. */
  readonly who: string;
  /** Where they are set. */
  readonly credentialsIn: string;
  readonly servers: readonly string[];
  readonly usesTls: boolean;
  /** Throws if the .creds file cannot be read. */
  options(): ConnectionOptions;
}

/** How a role connects: by its own URL or the common one. Credentials in the URL come before the common ones. */
export function natsAccess(common: NatsSettings, own: Settings<RoleUrls>, role: string): NatsAccess {
  const url = own[role] ?? common.url;
  if (!url) throw new Error(`${variableOf(role)} or NATS_URL is not set`);
  const inboxPrefix = `_INBOX_${role.replace(":", "_")}`;
  const { caFile, certFile, keyFile } = common;
  const usesTls = url.tls || caFile !== undefined || certFile !== undefined;
  const tls = usesTls ? { tls: definedOf({ caFile, certFile, keyFile }) } : {};
  const { proof, ...login } = loginOf(url, common);
  const servers = [...url.servers];
  return { inboxPrefix, ...login, servers, usesTls, options: () => ({ servers, inboxPrefix, ...tls, ...proof() }) };
}

type Login = Pick<NatsAccess, "who" | "credentialsIn"> & { readonly proof: () => ConnectionOptions };

function loginOf({ credentials, variable }: NatsUrl, { user, password, token, credsFile }: NatsSettings): Login {
  if (credentials) return { who: whoIs(credentials), credentialsIn: variable, proof: () => credentials };
  if (user !== undefined && password !== undefined)
    return { who: whoIs({ user }), credentialsIn: "NATS_USER and NATS_PASSWORD", proof: () => ({ user, pass: password }) };
  if (token !== undefined) return { who: whoIs({ token }), credentialsIn: "NATS_TOKEN", proof: () => ({ token }) };
  if (credsFile !== undefined)
    return { who: "a .creds file", credentialsIn: "NATS_CREDS_FILE", proof: () => ({ authenticator: fileAuthenticator(credsFile) }) };
  return { who: "a client without any", credentialsIn: `${variable}, or NATS_USER and NATS_PASSWORD`, proof: () => ({}) };
}

const whoIs = (credentials: { readonly user: string } | { readonly token: string }) =>
  "user" in credentials ? `user ${credentials.user}` : "a token";

/** The client asks at each of its connections. While the file is being replaced, what was read last is good enough to try. */
function fileAuthenticator(file: string) {
  let last = readCreds(file);
  return credsAuthenticator(() => {
    try {
      last = readCreds(file);
    } catch {
      // The last one.
    }
    return last;
  });
}

export class UnreadableCreds extends Error {
  override readonly name = "UnreadableCreds";
}

function readCreds(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UnreadableCreds(`the file of NATS_CREDS_FILE cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

const definedOf = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: NonNullable<T[K]> };
