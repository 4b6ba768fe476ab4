import { workOn } from "../kernel/operator/erasures.ts";
import type { AccountSql, Json } from "./sql.gen.ts";

/** The outcome of a request to erase a user: the pseudonym, and whether it was this request that began it. */
export type Requested =
  | { readonly outcome: "requested" | "under way"; readonly pseudonym: string }
  | { readonly outcome: "unknown" | "inactive" | "demoted" | "own" };

export interface ErasureBy {
  readonly user_id: string;
  readonly actor: string;
  readonly reason: string;
}

// Retry limit. Each lost race means that another request committed, which the next attempt finds.
const tries = 3;

/** Asks for an erasure, in an account database. Two requests get the same pseudonym. */
export async function askForErasure(erasures: AccountSql["erasures"], by: ErasureBy, by_owner: boolean) {
  for (let n = 0; n < tries; n++) {
    const [asked] = await erasures.request({ ...by, by_owner });
    if (asked) return asked;
  }
  return undefined;
}

/** An ADMIN asks for an erasure. Nobody can erase themselves: they could not see its end. */
export async function requestErasure(sql: AccountSql, by: ErasureBy): Promise<Requested> {
  if (by.user_id === by.actor.toLowerCase()) return { outcome: "own" };
  const [standing] = await sql.users.standing(by);
  if (!standing?.may_act) return { outcome: "inactive" };
  if (!standing.known) return { outcome: "unknown" };
  const asked = await askForErasure(sql.erasures, by, false);
  return asked ? { outcome: asked.requested ? "requested" : "under way", pseudonym: asked.pseudonym } : { outcome: "demoted" };
}

const stepsWithin = 1000;

/** Notes what the other systems say. If all are done, account erases its own rows. Returns whether the erasure is done. */
export async function reportErasure(sql: AccountSql, pseudonym: string, systems: Json) {
  await sql.erasures.report({ pseudonym, systems });
  // The next report continues: the gateway waits for the answer.
  await workOn(sql.erasures, pseudonym, () => {}, AbortSignal.timeout(stepsWithin));
  return (await sql.erasures.find({ id: pseudonym }))[0];
}
