import type { Caller } from "./auth.ts";

const mask = "•••";

/** Machine clients, operators and admins see what users' payloads say; who may only look sees their shape. */
const seesPayloads = ({ person }: Caller): boolean => !person || person.roles.some(role => role === "OPERATOR" || role === "ADMIN");

function masked(value: unknown): unknown {
  if (typeof value === "string") return mask;
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]));
}

/** The same answer with every string in these members masked, at any depth, if the caller is not to see them. */
export function veiled<T>(caller: Caller, answer: T, members: readonly string[] = ["payload", "purchase_id"]): T {
  if (seesPayloads(caller)) return answer;
  const veil = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(veil);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, members.includes(name) ? masked(inner) : veil(inner)]));
  };
  return veil(answer) as T;
}
