import { FormatRegistry, Type } from "@sinclair/typebox";
import { idProblem, idRule, nameProblem, nameRule } from "./identifier.ts";

// Length in code points, as in JSON Schema and PostgreSQL; JavaScript's length would count an emoji twice.
const fits = (value: string, max: number) => value.length <= max || (value.length <= max * 2 && [...value].length <= max);
const readable = (value: string) => value.isWellFormed() && !value.includes("\0");
const named = (max: number) => (value: string) => value.trim() !== "" && fits(value, max) && readable(value);

FormatRegistry.Set("text-200", named(200));
FormatRegistry.Set("text-255", named(255));
FormatRegistry.Set("text-500", named(500));
FormatRegistry.Set("text-200-no-colon", value => named(200)(value) && !value.includes(":"));
FormatRegistry.Set("id-200", value => named(200)(value) && idProblem(value) === undefined);
FormatRegistry.Set("name-100", value => named(100)(value) && nameProblem(value) === undefined);
FormatRegistry.Set("name-200", value => named(200)(value) && nameProblem(value) === undefined);
FormatRegistry.Set("loose-text", value => fits(value, 2000) && readable(value));
FormatRegistry.Set("path-id", value => named(200)(value) && !value.split(/[/\\]/).some(part => part === ".." || part === "."));
FormatRegistry.Set("page-limit", value => /^([1-9]|[1-9]\d|1\d\d|200)$/.test(value));
FormatRegistry.Set("attempts", value => /^([1-9]\d?|100)$/.test(value));
FormatRegistry.Set("minutes", value => /^[1-9]\d{0,3}$/.test(value) && Number(value) <= 1440);
FormatRegistry.Set("count", value => /^(0|[1-9]\d{0,14})$/.test(value));
FormatRegistry.Set("uuid-text", value => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value));
FormatRegistry.Set("sha256-hex", value => /^[0-9a-f]{64}$/.test(value));
FormatRegistry.Set("moment", isMoment);
FormatRegistry.Set("request-key", isRequestKey);
FormatRegistry.Set("language-tag", isLanguageTag);

function isLanguageTag(value: string): boolean {
  try {
    return value.length <= 100 && Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

const momentPattern = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** RFC 3339 with a day that exists. PostgreSQL has no year 0. */
function isMoment(value: string): boolean {
  const [, day] = momentPattern.exec(value) ?? [];
  if (day === undefined || day.startsWith("0000")) return false;
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** Visible ASCII: an Idempotency-Key without its quotes. */
export function isRequestKey(value: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(value);
}

/** The messages for violated formats. */
const formatDetail: Record<string, string> = {
  "text-200": "must be 1 to 200 characters, not blank, valid Unicode without U+0000",
  "text-255": "must be 1 to 255 characters, not blank, valid Unicode without U+0000",
  "text-500": "must be 1 to 500 characters, not blank, valid Unicode without U+0000",
  "text-200-no-colon": "must be 1 to 200 characters, not blank, valid Unicode without U+0000, and must not contain ':'",
  "id-200": `must be 1 to 200 characters, ${idRule}`,
  "name-100": `must be 1 to 100 characters, ${nameRule}`,
  "name-200": `must be 1 to 200 characters, ${nameRule}`,
  "loose-text": "must be at most 2000 characters, valid Unicode without U+0000",
  "path-id": "must be 1 to 200 characters, not blank, valid Unicode without U+0000, and no '.' or '..' alone between slashes",
  "page-limit": "must be a whole number from 1 to 200",
  attempts: "must be a whole number from 1 to 100",
  minutes: "must be a whole number from 1 to 1440",
  count: "must be a whole number of at most 15 digits",
  "uuid-text": "must be a UUID",
  "sha256-hex": "must be 64 hexadecimal digits",
  moment: "must be an RFC 3339 time that exists, such as 2026-01-31T09:00:00Z",
  "request-key": "must be 1 to 255 visible ASCII characters",
  "language-tag": "must be a BCP 47 language tag such as en or ja-JP",
};

/** Why an id or a short text that does not come by HTTP is not valid, in the words of the API; undefined if it is valid. */
export const textFault = (value: string): string | undefined => (named(200)(value) ? undefined : formatDetail["text-200"]);

const problems: Record<string, (value: string) => string | undefined> = {
  "id-200": idProblem,
  "name-100": nameProblem,
  "name-200": nameProblem,
};

/** Why a value violates a format: the character and its position if known, otherwise the rule. */
export function violationOf(format: string, value: unknown): string | undefined {
  return (typeof value === "string" ? problems[format]?.(value) : undefined) ?? formatDetail[format];
}

export interface TextFormat {
  readonly holds: (value: string) => boolean;
  /** What is expected, for refusals and the API description. */
  readonly rule: string;
  /** The exact violation, if it can be named. */
  readonly problem?: (value: string) => string | undefined;
}

/** Defines a format that only one room has. Returns the schema of a text with it. */
export function textFormat(format: string, { holds, rule, problem }: TextFormat) {
  FormatRegistry.Set(format, holds);
  formatDetail[format] = rule;
  if (problem) problems[format] = problem;
  return (description: string) => formatted(format, description);
}

/** Defines a format of a few words. */
export function oneOf(format: string, words: readonly string[]) {
  const schema = textFormat(format, { holds: value => words.includes(value), rule: `must be ${words.join(" or ")}` });
  return (description: string) => ({ ...schema(description), enum: words });
}

const formatted = (format: keyof typeof formatDetail & string, description: string) =>
  Type.String({ format, description: `${description}; ${formatDetail[format]}` });

const describedAsId = (format: keyof typeof formatDetail & string, description: string) =>
  Type.String({ format, description: `${description}; ${formatDetail["id-200"]}` });

export const text = (description: string) => formatted("text-200", description);
export const anyId = (description: string) => formatted("text-255", description);
export const longText = (description: string) => formatted("text-500", description);
/** An id that is created here. */
export const newId = (description: string) => formatted("id-200", description);
/** The same for an id that the handler checks, because ids from before the rule stay usable. */
export const changedId = (description: string) => describedAsId("text-200", description);
export const changedIdWithoutColon = (description: string) => describedAsId("text-200-no-colon", `${description}; must not contain ':'`);
/** A display name. */
export const shortName = (description: string) => formatted("name-100", description);
export const name = (description: string) => formatted("name-200", description);
/** Text from elsewhere that is only passed on; it may be empty. */
export const looseText = (description: string) => formatted("loose-text", description);
export const pathId = (description: string) => formatted("path-id", description);
export const pageLimit = (description: string) => formatted("page-limit", description);
export const attempts = (description: string) => formatted("attempts", description);
export const minutes = (description: string) => formatted("minutes", description);
export const moment = (description: string) => formatted("moment", description);
export const count = (description: string) => formatted("count", description);
export const uuid = (description: string) => formatted("uuid-text", description);
export const sha256Hex = (description: string) => formatted("sha256-hex", description);
/** An Idempotency-Key in a path. */
export const requestKey = (description: string) => formatted("request-key", description);
export const languageTag = (description: string) => formatted("language-tag", description);
