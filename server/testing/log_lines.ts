import type { TestProcess } from "./process.ts";

export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string;
  readonly msg: string;
  readonly role: string;
}

const perEvent = new Set(["http.request", "notification.sent"]);

/** The log of a process from a line on, without the lines that every request or notification has. */
export const linesSince = ({ lines }: Pick<TestProcess, "lines">, from = 0): LogLine[] =>
  lines
    .slice(from)
    .filter(line => line.startsWith("{"))
    .map(line => JSON.parse(line) as LogLine)
    .filter(({ msg }) => !perEvent.has(msg));

/** How often something happened, as its lines tell: a line without `repeats` stands for itself. */
export const countedIn = (lines: readonly LogLine[], msg: string): number =>
  lines.filter(line => line.msg === msg).reduce((sum, { repeats }) => sum + Number(repeats ?? 1), 0);
