import { exact, span } from "./format.ts";
import type { Chain, Step } from "./journey_steps.ts";

// A table's cell is one line, and a bar would end it.
const cell = (text: string) => text.replaceAll("|", "\\|").replace(/\s+/g, " ");

/** The chain for an incident's notes: UTC, one line a step. */
export function markdownOf(chain: Chain, steps: readonly Step[], address: string): string {
  const { event, notifications, eventId } = chain;
  const user = event?.user_id ?? notifications[0]?.user_id;
  let before: number | undefined;
  const lines = steps.map(({ at, title, who, text, error }) => {
    const time = at === null ? undefined : Date.parse(at);
    const gap = time !== undefined && before !== undefined ? `+${span(time - before)}` : "";
    before = time ?? before;
    const what = [title, text, error && `error: ${error}`].filter(Boolean).join("; ");
    return `| ${at ? exact(at, "utc") : "not yet"} | ${gap} | ${cell(what)} | ${cell(who ?? "")} |`;
  });
  return [
    `### Event ${eventId}`,
    "",
    `User \`${user ?? "?"}\`, trace \`${event?.trace_id ?? notifications[0]?.trace_id ?? "?"}\`. ${address}`,
    "",
    "| time | gap | what | who |",
    "|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}
