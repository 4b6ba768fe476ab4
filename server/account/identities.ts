import { cleanName } from "../kernel/http/identifier.ts";
import { roles } from "../kernel/http/tokens.ts";
import type { AccountSql, IdentitiesResolveRow } from "./sql.gen.ts";

/** What an identity provider says of somebody; all but its name for them may be missing. */
export interface Identity {
  readonly provider: string;
  readonly subject: string;
  readonly email?: string | null;
  readonly email_verified?: boolean | null;
  readonly name?: string | null;
  readonly picture?: string | null;
  /** Of a new user, beside USER; names that Kenri does not know are left out. */
  readonly roles?: readonly string[] | null;
}

/** The user of an identity, made at the first sign-in: one, however many ask at once. */
export async function resolveIdentity(sql: AccountSql, identity: Identity, actor: string): Promise<IdentitiesResolveRow> {
  const parameters = {
    provider: identity.provider,
    subject: identity.subject,
    email: said(identity.email),
    email_verified: identity.email_verified ?? false,
    picture: pictureOf(identity.picture),
    display_name: nameOf(identity.name),
    roles: rolesWith(identity.roles ?? []),
    actor,
  };
  const [first] = await sql.identities.resolve(parameters);
  // Nothing: another call has just made this user, and is done by now.
  const user = first ?? (await sql.identities.resolve(parameters))[0];
  if (!user) throw new Error("an identity that was there is gone");
  return user;
}

/** The known ones among these, and USER, the least first: as the database keeps them. */
export const rolesWith = (given: readonly string[]): string[] => roles.filter(role => role === "USER" || given.includes(role));

const said = (text: string | null | undefined): string | null => text?.trim() || null;

/** A name that Kenri would not take is no reason to refuse a sign-in. */
const nameOf = (name: string | null | undefined): string | null => cleanName(name ?? "", 100) || null;

/** Pages show it, so it is a web address or nothing. */
const pictureOf = (picture: string | null | undefined): string | null => {
  const url = said(picture);
  return url && /^https?:\/\//.test(url) && URL.canParse(url) ? url : null;
};
