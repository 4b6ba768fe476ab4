import type { AccountChange } from "./queries.ts";

/** The users on the page: all, a prefix search, or one of the lists below. */
export interface UsersView {
  readonly search?: string;
  readonly show?: string;
  /** Whether a single result is opened at once. */
  readonly open?: "only";
}

/** The filters of the service. Each one is backed by an index. */
export const userLists = [
  { name: "suspended", word: "Suspended", parameters: { status: "SUSPENDED" } },
  { name: "admins", word: "Admins", parameters: { role: "ADMIN" } },
  { name: "operators", word: "Operators", parameters: { role: "OPERATOR" } },
  { name: "viewers", word: "Viewers", parameters: { role: "VIEWER" } },
] as const;

const most = 200;

/** Ignores an unknown list, so that a partly invalid link still opens. A search and a list are not combined. */
export function readUsersView({ search, show, open }: Record<string, unknown>): UsersView {
  const text = typeof search === "string" ? search.slice(0, most).trim() : "";
  if (text !== "") return { search: text, ...(open === "only" ? { open } : {}) };
  return userLists.some(({ name }) => name === show) ? { show: String(show) } : {};
}

export const parametersOf = ({ search, show }: UsersView): Record<string, string> =>
  search === undefined ? { ...userLists.find(({ name }) => name === show)?.parameters } : { search };

interface AccountState {
  readonly account_status: string;
  /** Whether it is the account of the person who looks at it. */
  readonly isOwn: boolean;
  /** Whether an erasure is not done. It has ended the sessions. */
  readonly isErasing: boolean;
}

/** The actions that the service takes for an account. An erasure cannot be undone, and nothing is changed beside it. */
export function offeredTo({ account_status, isOwn, isErasing }: AccountState): AccountChange["change"][] {
  if (account_status === "ERASED" || isErasing) return [];
  if (account_status !== "ACTIVE") return isOwn ? ["restore", "roles", "sign-out"] : ["restore", "roles", "sign-out", "erase"];
  return isOwn ? ["roles", "sign-out"] : ["suspend", "roles", "sign-out", "erase"];
}

const asText = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "nothing";
  if (Array.isArray(value)) return value.length > 0 ? value.map(asText).join(", ") : "nothing";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** The changed fields of an audit entry, one line per field. The entry of a new user has no previous values. */
export function changesOf(detail: unknown): string[] {
  const { before, after } = (detail ?? {}) as { before?: Record<string, unknown> | null; after?: Record<string, unknown> | null };
  const names = Object.keys(after ?? {});
  if (!before) return names.filter(name => after?.[name] !== null).map(name => `${name}: ${asText(after?.[name])}`);
  return names
    .filter(name => JSON.stringify(before[name]) !== JSON.stringify(after?.[name]))
    .map(name => `${name}: ${asText(before[name])} → ${asText(after?.[name])}`);
}
