import { exact } from "../../parts/format.ts";
import { code, plain } from "./markdown_text.ts";
import { gapOf, gapText } from "./order.ts";
import { outcomeOf } from "./outcome.ts";
import type { Chain, Step } from "./steps.ts";

/** The chain as Markdown for incident notes: UTC, one line per step. */
export function markdownOf(chain: Chain, steps: readonly Step[], address: string): string {
  const { event, notifications, eventId } = chain;
  const user = event?.user_id ?? notifications[0]?.user_id;
  const lines = steps.map((step, index) => {
    const { at, tone, title, who, text, speaksOf, error, missing = "not yet" } = step;
    const gap = gapOf(step, steps[index - 1]);
    const spoken = speaksOf && `${speaksOf.word} ${exact(speaksOf.at, "utc")}`;
    const what = [title, text, spoken, error && `error: ${error}`].filter(Boolean).join("; ");
    const time = at ? exact(at, "utc") : tone === "failed" ? "" : missing;
    return `| ${time} | ${gap === undefined ? "" : gapText(gap)} | ${plain(what)} | ${plain(who ?? "")} |`;
  });
  return [
    `### Event ${plain(eventId)}: ${outcomeOf(chain).word.toLowerCase()}`,
    "",
    `User ${code(user ?? "?")}, trace ${code(event?.trace_id ?? notifications[0]?.trace_id ?? "?")}. ${address}`,
    "",
    "| time | gap | step | actor |",
    "|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}
