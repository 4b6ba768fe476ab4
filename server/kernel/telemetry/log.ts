import pino from "pino";

export type Log = pino.Logger;

const hidden = "(hidden)";
const secretNames = new Set(["authorization", "cookie", "key", "secret", "password", "token"]);
type Fields = Record<string, unknown>;

/** Hides fields with the name of a secret, also those of objects in fields. Pino's own redaction takes 5 µs a line, this 0.1. */
function withoutSecrets(fields: Fields, isInner = false): Fields {
  let shown = fields;
  for (const name in fields) {
    const value = fields[name];
    const shownValue = secretNames.has(name) ? hidden : isInner || !isPlain(value) ? value : withoutSecrets(value, true);
    if (shownValue === value) continue;
    if (shown === fields) shown = { ...fields };
    shown[name] = shownValue;
  }
  return shown;
}

/** Of an error only some fields are logged; see describeError. */
const isPlain = (value: unknown): value is Fields => typeof value === "object" && value !== null && !(value instanceof Error);

/** Hides the credentials of URLs: the part before the `@`. They may be in the message of an error. */
export const withoutCredentials = (line: string): string =>
  line.includes("://") ? line.replaceAll(/(\w:\/\/)[^\s"/@]+@/g, `$1${hidden}@`) : line;

/** One JSON object a line, written synchronously: a logged line survives the process. */
export function createLog(level: string, bindings: Record<string, unknown>): Log {
  return pino(
    {
      level,
      base: bindings,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }), log: withoutSecrets },
      serializers: { error: describeError },
      hooks: { streamWrite: withoutCredentials },
    },
    pino.destination({ fd: 1, sync: true }),
  );
}

/**
 * The same log for thousands of lines: the lines of one turn of the event loop are written together. One write for each line would block the loop
 * whenever the reader of stdout is slow. A killed process may lose the lines of its last turn.
 */
export function batchedLog(log: Log): Log {
  const { streamSym } = pino.symbols;
  const stream = (log as unknown as Record<symbol, { write(text: string): void }>)[streamSym]!;
  let lines: string[] = [];
  const flush = () => {
    const text = lines.join("");
    lines = [];
    if (text) stream.write(text);
  };
  const write = (line: string) => {
    if (lines.push(line) === 1) setImmediate(flush);
  };
  process.once("exit", flush);
  return Object.create(log, { [streamSym]: { value: { write } } }) as Log;
}

/** An error as data: class, code, message and the top of the stack. No query parameters, no payloads. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: error.message,
    stack: error.stack
      ?.split("\n")
      .slice(1, 6)
      .map(line => line.trim()),
  };
}

/** Ids for one line about many rows, at most 50. */
export const someIds = (ids: readonly string[]): readonly string[] => ids.slice(0, 50);

export const silentLog: Log = pino({ level: "silent" });
