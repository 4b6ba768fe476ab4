import type { ErasureReport } from "../../kernel/operator/erasure_routes.ts";
import type { ModeStore } from "../mode_store.ts";
import type { ErasedOperator, EraseOperator } from "./erase_operator.ts";

/**
 * Replaces a user's id in all modes, and last in what operators did. It is done when no match of the user is under way and no record with the id
 * is left.
 */
export async function eraseUser(stores: Iterable<ModeStore>, erase: EraseOperator, user: ErasedOperator): Promise<ErasureReport> {
  const found = await Promise.all([...stores].map(store => store.erase(user.user_id, user.pseudonym)));
  const waiting = found.reduce((sum, one) => sum + one.waiting, 0);
  const left = Math.max(0, ...found.map(one => one.left));
  const waiting_for = [
    ...(waiting > 0 ? [`${waiting} match(es) that are not announced yet`] : []),
    ...(left > 0 ? [`older tickets, which are forgotten within ${Math.ceil(left / 60_000)} minutes`] : []),
  ];
  const records = found.reduce((sum, one) => sum + one.changed, 0);
  const operator_actions = waiting_for.length > 0 ? 0 : await erase(user);
  return {
    state: waiting_for.length > 0 ? "WORKING" : "DONE",
    waiting_for,
    changed: { ...(records > 0 ? { records } : {}), ...(operator_actions > 0 ? { operator_actions } : {}) },
  };
}
