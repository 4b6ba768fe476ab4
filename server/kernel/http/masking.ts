import type { Caller } from "./auth.ts";

const mask = "•••";

/** Machine clients, operators and admins see users' payloads; other people see only their shape. */
const seesPayloads = ({ person }: Caller): boolean => !person || person.roles.some(role => role === "OPERATOR" || role === "ADMIN");

/** The same shape, with the values masked that `isMasked` accepts. */
function masked(value: unknown, isMasked: (value: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.map(inner => masked(inner, isMasked));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner, isMasked)]));
  return isMasked(value) ? mask : value;
}
const isText = (value: unknown) => typeof value === "string";
const isAny = (value: unknown) => value !== null;

// The names of a message and of a stored response in any answer: as facts, or as bytes.
const messageMembers = ["payload", "answer", "headers", "data", "hex", "value"];

export interface MaskRule {
  /** Members that hold what a client wrote about a user, beside those of messages. */
  readonly members: readonly string[];
  /** Of these also numbers and booleans are masked. */
  readonly whole?: readonly string[];
  /** Members that are masked only in an object that also has the named member: `{ note: "author" }`. */
  readonly beside?: Readonly<Record<string, string>>;
}

export type MaskFor = <T>(caller: Caller, answer: T) => T;

/** Masks, for callers who may not see users' payloads, every string in these members, at any depth. A system has one rule for all its routes. */
export function masking({ members, whole = [], beside = {} }: MaskRule): MaskFor {
  const always = new Set([...messageMembers, ...members, ...whole]);
  const maskOf = (name: string, inner: unknown) => masked(inner, whole.includes(name) ? isAny : isText);
  const isMasked = (name: string, holder: object) => always.has(name) || (Object.hasOwn(beside, name) && beside[name]! in holder);
  const maskMembers = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(maskMembers);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, isMasked(name, value) ? maskOf(name, inner) : maskMembers(inner)]),
    );
  };
  return <T>(caller: Caller, answer: T) => (seesPayloads(caller) ? answer : (maskMembers(answer) as T));
}
