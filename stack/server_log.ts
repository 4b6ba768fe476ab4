import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";

const tooLong = 16 * 1024 * 1024;

/** Opens a log to append to. A long one is renamed first, so that `.stack` does not grow without limit. */
export function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > tooLong) renameSync(file, `${file}.old`);
  return openSync(file, "a");
}

export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The last lines since byte `from`, indented: for the message of a server that does not start. */
export function lastLines(file: string, from = 0, count = 15): string {
  const text = readFrom(file, Math.max(from, logSize(file) - 64 * 1024)).text.trimEnd();
  if (text === "") return "  (its log is empty)";
  return text
    .split("\n")
    .slice(-count)
    .map(line => `  ${line}`)
    .join("\n");
}

/** Calls `onLine` for each line from now on. With a file and a timer, not a pipe: the server can still write when this process dies. */
export function follow(file: string, onLine: (line: string) => void): () => void {
  let position = logSize(file);
  let rest = "";
  const read = () => {
    if (logSize(file) < position) position = 0;
    const { text, end } = readFrom(file, position);
    position = end;
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  };
  const timer = setInterval(read, 150);
  return () => {
    clearInterval(timer);
    read();
  };
}

function readFrom(file: string, from: number): { text: string; end: number } {
  if (logSize(file) <= from) return { text: "", end: from };
  const fd = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(fstatSync(fd).size - from);
    const length = readSync(fd, bytes, 0, bytes.length, from);
    return { text: bytes.toString("utf8", 0, length), end: from + length };
  } finally {
    closeSync(fd);
  }
}
