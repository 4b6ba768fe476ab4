import { rolesWith } from "./identities.ts";
import type { AccountSql, UsersFindRow } from "./sql.gen.ts";

export type User = UsersFindRow;

/** The outcome of a change: done, or why not. */
export type Outcome =
  | { readonly outcome: "done"; readonly user: User }
  | { readonly outcome: "unknown" | "inactive" | "demoted" | "conflict" | "own" | "contended" | "erased" };

interface Who {
  readonly user_id: string;
  readonly actor: string;
}

const done = (user: User): Outcome => ({ outcome: "done", user });

/** Why a statement changed nothing: the actor is suspended or no longer ADMIN, or the user is unknown or erased; otherwise undefined. */
async function refusal(sql: AccountSql, { user_id, actor }: Who, takesAdmin = true): Promise<Outcome | undefined> {
  const [standing] = await sql.users.standing({ user_id, actor });
  if (!standing?.may_act) return { outcome: "inactive" };
  if (takesAdmin && !standing.is_admin) return { outcome: "demoted" };
  if (!standing.known) return { outcome: "unknown" };
  return standing.is_erased ? { outcome: "erased" } : undefined;
}

/** Changes display name or locale. Equal values are no change and are not audited. */
export async function updateUser(sql: AccountSql, who: Who, given: { display_name?: string; locale?: string }): Promise<Outcome> {
  const [changed] = await sql.users.update({ ...who, display_name: given.display_name ?? null, locale: given.locale ?? null });
  if (changed) return done(changed);
  const refused = await refusal(sql, who, false);
  if (refused) return refused;
  const [user] = await sql.users.find(who);
  return user ? done(user) : { outcome: "unknown" };
}

/** Suspends or restores a user. Nobody can suspend themselves: they could not undo it. */
export async function changeStatus(sql: AccountSql, who: Who, target: "ACTIVE" | "SUSPENDED", reason: string): Promise<Outcome> {
  if (target === "SUSPENDED" && isOwn(who)) return { outcome: "own" };
  const [changed] = await sql.users.change_status({ ...who, target, reason });
  return changed ? done(changed) : ((await refusal(sql, who)) ?? { outcome: "conflict" });
}

/** Records that the user is signed out everywhere. */
export async function signOut(sql: AccountSql, who: Who, reason: string): Promise<Outcome> {
  const [user] = await sql.users.sign_out({ ...who, reason });
  return user ? done(user) : ((await refusal(sql, who)) ?? { outcome: "unknown" });
}

// Retry limit. Each lost race means that another change committed, so this many in a row are unlikely.
const tries = 10;

/** Gives exactly these roles and USER. Nobody can take ADMIN from themselves. */
export async function setRoles(sql: AccountSql, who: Who, wanted: readonly string[], reason: string): Promise<Outcome> {
  const roles = rolesWith(wanted);
  if (isOwn(who) && !roles.includes("ADMIN")) return { outcome: "own" };
  for (let n = 0; n < tries; n++) {
    const [changed] = await sql.users.set_roles({ ...who, roles, reason });
    if (changed) return done(changed);
    const refused = await refusal(sql, who);
    if (refused) return refused;
  }
  return { outcome: "contended" };
}

const isOwn = ({ user_id, actor }: Who) => user_id.toLowerCase() === actor.toLowerCase();
