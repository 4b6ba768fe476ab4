import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const server = join(import.meta.dir, "..");
const sources = readdirSync(server, { recursive: true, encoding: "utf8" })
  .filter(file => file.endsWith(".ts") && !file.endsWith(".test.ts") && !/^(testing|cli|tools|gen)\//.test(file))
  .filter(file => file !== "kernel/telemetry/repeats.ts");

// `log.warn(…)`, `log[level](…)`; `repeats.write(level, fields, message, …)`; `repeats.over(message, key, fields, message)`
const calls: readonly [pattern: RegExp, messages: (args: readonly string[]) => readonly (string | undefined)[]][] = [
  [/\b(?:log|lines|batched)(?:\.(?:debug|info|warn|error)|\[[^\]]+\])\(/g, args => [args.at(-1)]],
  [/\b(?:repeats|repeatsOf\(log\))\.write\(/g, args => [args[2]]],
  [/\b(?:repeats|repeatsOf\(log\))\.over\(/g, args => [args[0], args[3]]],
];

/** The arguments of a call, from behind its opening parenthesis. */
function argumentsAt(text: string, from: number): string[] {
  const args: string[] = [];
  let [depth, start, quote] = [0, from, ""];
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (quote) {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (/["'`]/.test(char)) quote = char;
    else if (/[([{]/.test(char)) depth++;
    else if (/[)\]}]/.test(char) || char === ",") {
      if (depth === 0) args.push(text.slice(start, at).trim());
      if (depth === 0 && char === ",") start = at + 1;
      else if (depth === 0) return args.filter(Boolean);
      else if (char !== ",") depth--;
    }
  }
  return args;
}

/**
 * Every message that a source logs. A variable part is a `*`: `*.fenced` for `${name}.fenced`. A call whose message is not a literal is returned as it
 * is written, so that a test can refuse it.
 */
export function messagesIn(text: string): string[] {
  const named = [...text.matchAll(/\blistening: "([\w.]+)"/g)].map(([, message]) => message!);
  const logged = calls.flatMap(([pattern, messages]) =>
    [...text.matchAll(pattern)].flatMap(match => messages(argumentsAt(text, match.index + match[0].length))),
  );
  return [...named, ...logged.flatMap(message => (message === undefined || message === "listening" ? [] : [plain(message)]))];
}

const plain = (literal: string) => (/^["`][^"`]*["`]$/.test(literal) ? literal.slice(1, -1).replaceAll(/\$\{\w+\}/g, "*") : literal);

/** Every kind of line that the server can log: its message. */
export const logKinds = (): string[] => [...new Set(sources.flatMap(file => messagesIn(readFileSync(join(server, file), "utf8"))))].sort();
