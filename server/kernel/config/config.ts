import { readFileSync } from "node:fs";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** One environment variable: its form, its allowed values and its default. Only this file reads the environment. */
export interface Setting<T> {
  readonly variable: string;
  readonly about: string;
  readonly preset: string | undefined;
  readonly optional: boolean;
  readonly secret: boolean;
  readonly schema: TSchema;
  readonly parse: (text: string) => unknown;
  readonly value?: T;
}

export type SettingsSpec = { readonly [name: string]: Setting<unknown> | SettingsSpec };
export type Settings<S> = {
  readonly [K in keyof S]: NonNullable<S[K]> extends Setting<infer T> ? T | Extract<S[K], undefined> : Settings<S[K]>;
};

const setting = <T>(variable: string, about: string, preset: string | undefined, schema: TSchema, parse: (text: string) => unknown) =>
  ({ variable, about, preset, optional: false, secret: false, schema, parse }) as Setting<T>;

export const text = (variable: string, about: string, preset?: string) =>
  setting<string>(variable, about, preset, Type.String({ minLength: 1 }), text => text);

/** Text that matches a pattern; `expected` describes it in messages. */
export const textLike = (variable: string, about: string, preset: string, pattern: string, expected: string) =>
  setting<string>(variable, about, preset, Type.String({ pattern, description: expected }), text => text);

/** Undefined if it is not set. */
export const optional = <T>(inner: Setting<T>) => ({ ...inner, optional: true }) as Setting<T | undefined>;

/** Never printed, and without a default. `shortest`: the least number of characters. */
export const secret = (variable: string, about: string, shortest = 1) =>
  ({
    ...setting<string>(variable, about, undefined, Type.String({ minLength: shortest, description: lengthOf(shortest) }), text => text),
    secret: true,
  }) as Setting<string>;

const lengthOf = (shortest: number) => (shortest > 1 ? `at least ${shortest} characters` : "some text");

/** The address of an HTTP service, without a slash at its end. */
export const httpUrl = (variable: string, about: string) =>
  setting<string>(variable, about, undefined, Type.String({ pattern: "^https?://[^/]+.*$", description: "an http or https URL" }), text =>
    URL.canParse(text) ? text.replace(/\/+$/, "") : "",
  );

/** An http or https URL with `{name}` in it, which is replaced. */
export const urlTemplate = (variable: string, about: string, name: string) =>
  setting<string>(
    variable,
    about,
    undefined,
    Type.String({ minLength: 1, description: `an http or https URL with {${name}} in it` }),
    text => (text.includes(`{${name}}`) && /^https?:$/.test(URL.parse(text.replaceAll(`{${name}}`, "x"))?.protocol ?? "") ? text : ""),
  );

/** A URL with a password: never printed. */
export const secretUrl = (variable: string, about: string) =>
  ({
    ...setting<string>(variable, about, undefined, Type.String({ pattern: "^[a-z]+://." }), text => (URL.canParse(text) ? text : "")),
    secret: true,
  }) as Setting<string>;

/** A secret that is parsed; `read` returns undefined for a wrong form. `expected` describes the form in messages. */
export const secretForm = <T extends object>(variable: string, about: string, expected: string, read: (text: string) => T | undefined) =>
  ({ ...setting<T>(variable, about, undefined, Type.Object({}, { description: expected }), read), secret: true }) as Setting<T>;
export interface SigningKey {
  readonly id: string;
  readonly secret: string;
}

/** Keys of signatures, `id:secret` separated by commas: never printed. */
export const signingKeys = (variable: string, about: string) =>
  ({
    ...setting<readonly SigningKey[]>(variable, about, undefined, signingKeysSchema, readSigningKeys),
    secret: true,
  }) as Setting<readonly SigningKey[]>;

const signingKeysSchema = Type.Array(
  Type.Object({ id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,32}$" }), secret: Type.String({ pattern: "^[!-~]{32,}$" }) }),
  {
    minItems: 1,
    description:
      "id:secret, or several of these separated by commas, each id once, of up to 32 letters, digits, - and _, each secret of at least 32 visible ASCII characters without a comma",
  },
);

function readSigningKeys(text: string): readonly SigningKey[] | undefined {
  const keys = text.split(",").map(pair => {
    const [id = "", ...secret] = pair.trim().split(":");
    return { id, secret: secret.join(":") };
  });
  return new Set(keys.map(({ id }) => id)).size === keys.length ? keys : undefined;
}

/** Text that is parsed; `read` returns undefined for a wrong form. `expected` describes the form in messages. */
export const form = <T extends object>(
  variable: string,
  about: string,
  preset: string,
  expected: string,
  read: (text: string) => T | undefined,
) => setting<T>(variable, about, preset, Type.Object({}, { description: expected }), read);

/** A list of `name=value`, separated by commas; values are percent-encoded. */
export const pairs = (variable: string, about: string) =>
  setting<Readonly<Record<string, string>>>(variable, about, undefined, Type.Object({}, { description: formOfPairs }), readPairs);

/** The same with secrets in it: never printed. */
export const secretPairs = (variable: string, about: string) => secretForm(variable, about, formOfPairs, readPairs);

const formOfPairs = "name=value, or several of these separated by commas, each value percent-encoded";

function readPairs(text: string): Readonly<Record<string, string>> | undefined {
  const read = text.split(",").map(pair => /^\s*([!#$%&'*+.^`|~\w-]+)\s*=\s*([\x20-\x7e]*?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(read.map(match => [match![1]!, decodeURIComponent(match![2]!)]));
  } catch {
    return undefined;
  }
}

export const integer = (variable: string, about: string, preset: number | undefined, range: { minimum: number; maximum: number }) =>
  setting<number>(variable, about, preset?.toString(), Type.Integer(range), text => (/^-?\d+$/.test(text) ? Number(text) : text));

export const flag = (variable: string, about: string, preset: boolean) =>
  setting<boolean>(variable, about, String(preset), Type.Boolean(), text => (text === "true" ? true : text === "false" ? false : text));

export const choice = <const T extends string>(variable: string, about: string, preset: T | undefined, values: readonly T[]) =>
  setting<T>(variable, about, preset, Type.Union(values.map(value => Type.Literal(value))), text => text);

const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Written `500ms`, `30s`, `2m`, `24h`, `7d`; read as milliseconds. */
export const duration = (variable: string, about: string, preset: string, range: { minimum: string; maximum: string }) =>
  setting<number>(
    variable,
    about,
    preset,
    Type.Number({
      minimum: milliseconds(range.minimum),
      maximum: milliseconds(range.maximum),
      description: "a duration such as 500ms, 30s, 24h or 7d",
    }),
    milliseconds,
  );

/** A duration in milliseconds; NaN for another form. */
export function milliseconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * unit[match[2] as keyof typeof unit] : Number.NaN;
}

export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(
      `the configuration is wrong in ${problems.length} place${problems.length === 1 ? "" : "s"}:\n${problems.map(p => `  ${p}`).join("\n")}`,
    );
  }
}

/** Reads every setting of the spec. Throws one ConfigError with all problems; `judge` adds those of several settings together. */
export function readSettings<const S extends SettingsSpec>(
  spec: S,
  environment: Record<string, string | undefined> = process.env,
  judge: (values: Settings<S>) => string[] = () => [],
): Settings<S> {
  const problems: string[] = [];
  const values = readGroup(spec, environment, problems) as Settings<S>;
  problems.push(...judge(values));
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return values;
}

function readGroup(spec: SettingsSpec, environment: Record<string, string | undefined>, problems: string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(spec).map(([name, entry]) => [
      name,
      isSetting(entry) ? readOne(entry, environment, problems) : readGroup(entry, environment, problems),
    ]),
  );
}

function readOne(entry: Setting<unknown>, environment: Record<string, string | undefined>, problems: string[]): unknown {
  const found = givenBy(entry, environment);
  if ("problem" in found) {
    problems.push(found.problem);
    return undefined;
  }
  const given = found.text ?? entry.preset;
  if (given === undefined) {
    if (!entry.optional) problems.push(`${entry.variable} is not set: ${entry.about}`);
    return undefined;
  }
  const value = entry.parse(given);
  if (Value.Check(entry.schema, value)) return value;
  const expected = entry.schema.description ?? Value.Errors(entry.schema, value).First()?.message.toLowerCase() ?? "another value";
  const shown = entry.secret ? "(hidden)" : JSON.stringify(presentable(given));
  problems.push(`${entry.variable}=${shown} is not allowed: ${describeRange(entry, expected)}`);
  return undefined;
}

/** The variable that names a file with the secret's value. */
const fileVariable = ({ variable }: Pick<Setting<unknown>, "variable">) => `${variable}_FILE`;

/** The value of a setting in the environment: the text, or for a secret the content of the file in `<NAME>_FILE`. */
function givenBy(
  entry: Setting<unknown>,
  environment: Record<string, string | undefined>,
): { text: string | undefined } | { problem: string } {
  const text = environment[entry.variable] || undefined;
  const file = entry.secret ? environment[fileVariable(entry)] || undefined : undefined;
  if (file === undefined) return { text };
  const name = fileVariable(entry);
  if (text !== undefined) return { problem: `${entry.variable} and ${name} are both set: set one of them` };
  try {
    // Editors and `echo` add a newline that is not part of the secret.
    const content = readFileSync(file, "utf8").replace(/\r?\n$/, "");
    return content === "" ? { problem: `${name}: the file ${JSON.stringify(file)} is empty: write the secret into it` } : { text: content };
  } catch (error) {
    const why = (error as { code?: string }).code ?? "unreadable";
    return { problem: `${name}: the file ${JSON.stringify(file)} cannot be read (${why}): it must hold the secret and be readable here` };
  }
}

function describeRange(entry: Setting<unknown>, expected: string): string {
  if (Array.isArray(entry.schema.anyOf)) return `expected one of ${entry.schema.anyOf.map((s: TSchema) => s.const).join(", ")}`;
  return expected.startsWith("expected") ? expected : `expected ${expected}`;
}

const isSetting = (entry: Setting<unknown> | SettingsSpec): entry is Setting<unknown> =>
  typeof (entry as Setting<unknown>).variable === "string";

/** The variables of a setting: its own, and for a secret the one with its file. */
export const variablesOf = (entry: Setting<unknown>): string[] => [entry.variable, ...(entry.secret ? [fileVariable(entry)] : [])];

/** Every setting of a spec in order, for documentation and checks. */
export function listSettings(spec: SettingsSpec): Setting<unknown>[] {
  return Object.values(spec).flatMap(entry => (isSetting(entry) ? [entry] : listSettings(entry)));
}

/** A setting in effect, for people. Of a secret only whether it is set. */
export interface EffectiveSetting {
  readonly variable: string;
  readonly about: string;
  readonly value: string | null;
  readonly preset: string | null;
  readonly is_set: boolean;
  readonly is_secret: boolean;
}

export const effectiveSettings = (
  spec: SettingsSpec,
  environment: Record<string, string | undefined> = process.env,
): readonly EffectiveSetting[] =>
  listSettings(spec).map(({ variable, about, preset = null, secret }) => {
    const given = environment[variable] || (secret && environment[fileVariable({ variable })]) || null;
    const value = given ?? preset;
    return {
      variable,
      about,
      value: secret || value === null ? null : presentable(value),
      preset,
      is_set: given !== null,
      is_secret: secret,
    };
  });

/**
 * Some settings are no secret but may contain one: an address can have a user with a password, or a token in its query. The part before the last @
 * and the part after the first ? are left out. A password may contain any character, so a finer cut is not safe.
 */
export function presentable(value: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(value)!;
  const at = rest.lastIndexOf("@");
  const question = rest.search(/[?#]/);
  if (question >= 0 && question < at) return `${scheme}•••`; // each may be part of the other, so nothing is shown
  const address = rest.slice(at + 1, question < 0 ? undefined : question);
  return `${scheme}${at < 0 ? "" : "•••@"}${address}${question < 0 ? "" : "?•••"}`;
}
