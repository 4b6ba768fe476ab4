import { cleanName } from "../kernel/http/identifier.ts";
import { roles } from "../kernel/http/tokens.ts";
import type { AccountSql, IdentitiesResolveRow } from "./sql.gen.ts";

/** The claims of an identity provider. Only provider and subject are required. */
export interface Identity {
  readonly provider: string;
  readonly subject: string;
  readonly email?: string | null;
  readonly email_verified?: boolean | null;
  readonly name?: string | null;
  readonly picture?: string | null;
  /** Roles of a new user beside USER; unknown names are dropped. */
  readonly roles?: readonly string[] | null;
}

/** The user of an identity, created at the first sign-in. Concurrent sign-ins get the same user. */
export async function resolveIdentity(sql: AccountSql, identity: Identity, actor: string): Promise<IdentitiesResolveRow> {
  const parameters = {
    provider: identity.provider,
    subject: identity.subject,
    email: textOrNull(identity.email),
    email_verified: identity.email_verified ?? false,
    picture: pictureOf(identity.picture),
    display_name: nameOf(identity.name),
    roles: rolesWith(identity.roles ?? []),
    actor,
  };
  const [first] = await sql.identities.resolve(parameters);
  // No row: a concurrent call has just created this user and has committed by now.
  const user = first ?? (await sql.identities.resolve(parameters))[0];
  if (!user) throw new Error("an identity that existed is gone");
  return user;
}

/** The known roles among these, and USER, in ascending order, as in the database. */
export const rolesWith = (given: readonly string[]): string[] => roles.filter(role => role === "USER" || given.includes(role));

const textOrNull = (text: string | null | undefined): string | null => text?.trim() || null;

/** A name that is not valid here must not prevent a sign-in. */
const nameOf = (name: string | null | undefined): string | null => cleanName(name ?? "", 100) || null;

/** Pages show it, so it must be a web address; otherwise null. */
const pictureOf = (picture: string | null | undefined): string | null => {
  const url = textOrNull(picture);
  return url && /^https?:\/\//.test(url) && URL.canParse(url) ? url : null;
};
