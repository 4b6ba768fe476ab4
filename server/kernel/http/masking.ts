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

// What a client wrote about a user's purchase, under every name that an answer has for it: as facts, as stored response, as message in bytes.
const members = new Set(["payload", "purchase_id", "answer", "headers", "data", "hex", "value"]);

/** Beside a purchase, the reason is the client's too. Elsewhere it is what an operator wrote about their own action, or why a message could not be read. */
const isMasked = (name: string, holder: object) => members.has(name) || (name === "reason" && "purchase_id" in holder);

/** The same answer for who may not see what users' payloads say: every string in those members is masked, at any depth. One rule for all routes. */
export function maskFor<T>(caller: Caller, answer: T): T {
  if (seesPayloads(caller)) return answer;
  const veil = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(veil);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isMasked(name, value) ? masked(inner) : veil(inner)]));
  };
  return veil(answer) as T;
}
