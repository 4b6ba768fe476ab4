import type { Caller } from "./auth.ts";

const mask = "•••";

/** Machine clients, operators and admins see users' payloads; other people see only their shape. */
const seesPayloads = ({ person }: Caller): boolean => !person || person.roles.some(role => role === "OPERATOR" || role === "ADMIN");

function masked(value: unknown): unknown {
  if (typeof value === "string") return mask;
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]));
}

// The names of a message and of a stored response in any answer: as facts, or as bytes.
const messageMembers = ["payload", "answer", "headers", "data", "hex", "value"];

export interface MaskRule {
  /** Members that hold what a client wrote about a user, beside those of messages. */
  readonly members: readonly string[];
  /** Members that are masked only in an object that also has the named member: `{ note: "author" }`. */
  readonly beside?: Readonly<Record<string, string>>;
}

export type MaskFor = <T>(caller: Caller, answer: T) => T;

/** Masks, for callers who may not see users' payloads, every string in these members, at any depth. A system has one rule for all its routes. */
export function masking({ members, beside = {} }: MaskRule): MaskFor {
  const always = new Set([...messageMembers, ...members]);
  const isMasked = (name: string, holder: object) => always.has(name) || (Object.hasOwn(beside, name) && beside[name]! in holder);
  const maskMembers = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(maskMembers);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, isMasked(name, value) ? masked(inner) : maskMembers(inner)]),
    );
  };
  return <T>(caller: Caller, answer: T) => (seesPayloads(caller) ? answer : (maskMembers(answer) as T));
}
