import { useQueries } from "@tanstack/react-query";
import { user } from "../../api/queries.ts";
import { shortId } from "../../parts/format.ts";
import { isUserId } from "../../parts/user_id.ts";

/** The names of a few players. An unknown one keeps the short form of the id. */
export function usePlayerNames(userIds: readonly string[]): (userId: string) => string {
  const users = useQueries({ queries: userIds.map(id => ({ ...user(id), enabled: isUserId(id), retry: false })) });
  const names = new Map(userIds.map((id, index) => [id, users[index]?.data?.display_name ?? users[index]?.data?.email] as const));
  return userId => names.get(userId) ?? shortId(userId);
}
