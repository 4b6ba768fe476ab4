import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "./checkout.ts";

/** A block of shell commands in the README, and the output that it shows for them. */
export interface Snippet {
  readonly commands: string;
  readonly answers: readonly string[];
}

export const readme = (): string => readFileSync(join(checkout, "README.md"), "utf8");

/** The shell blocks of a text in order; a text block right after one is its output. */
export function snippetsIn(text: string): Snippet[] {
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind = "", content = ""]) => ({ kind, content }));
  return blocks.flatMap(({ kind, content }, index) => {
    if (kind !== "sh") return [];
    const next = blocks[index + 1];
    return [{ commands: content, answers: next?.kind === "text" ? next.content.trimEnd().split("\n") : [] }];
  });
}

const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{32}/g;

/** Whether an output is the one shown. Ids, traces and times differ each time, and `…` stands for anything. */
export function isAsShown(answer: string, shown: string): boolean {
  const plain = (text: string) => text.replace(ids, "~");
  const pattern = plain(shown)
    .split("…")
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${pattern}$`).test(plain(answer));
}
