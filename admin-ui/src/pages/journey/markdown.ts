import { gapOf, gapText } from "../../parts/causal_order.ts";
import { exact } from "../../parts/format.ts";
import { orderWords } from "../../parts/order_words.ts";
import type { Step } from "../../parts/step.ts";
import { code, plain } from "./markdown_text.ts";
import { orderOutcomeOf } from "./order_steps.ts";
import { outcomeOf } from "./outcome.ts";
import type { JourneyOrder } from "./queries.ts";
import type { Chain } from "./steps.ts";

/** The chain as Markdown for incident notes. */
export function markdownOf(chain: Chain, steps: readonly Step[], address: string): string {
  const { event, notifications, eventId } = chain;
  const user = event?.user_id ?? notifications[0]?.user_id;
  const trace = event?.trace_id ?? notifications[0]?.trace_id;
  const about = `User ${code(user ?? "?")}, trace ${code(trace ?? "?")}. ${address}`;
  return linesOf(`Event ${plain(eventId)}: ${outcomeOf(chain).word.toLowerCase()}`, about, steps);
}

/** The same for an order. */
export function orderMarkdownOf(order: JourneyOrder, steps: readonly Step[], address: string): string {
  const about = `${plain(orderWords(order.request))}, client ${code(order.client_id)}, key ${code(order.idempotency_key)}, trace ${code(order.outbox?.trace_id ?? "?")}. ${address}`;
  return linesOf(`Order ${plain(order.order_id)}: ${orderOutcomeOf(order).word.toLowerCase()}`, about, steps);
}

/** UTC, one line per step. */
function linesOf(title: string, about: string, steps: readonly Step[]): string {
  const lines = steps.map((step, index) => {
    const { at, tone, title, who, text, speaksOf, error, missing = "not yet" } = step;
    const gap = gapOf(step, steps[index - 1]);
    const spoken = speaksOf && `${speaksOf.word} ${exact(speaksOf.at, "utc")}`;
    const what = [title, text, spoken, error && `error: ${error}`].filter(Boolean).join("; ");
    const time = at ? exact(at, "utc") : tone === "failed" ? "" : missing;
    return `| ${time} | ${gap === undefined ? "" : gapText(gap)} | ${plain(what)} | ${plain(who ?? "")} |`;
  });
  return [`### ${title}`, "", about, "", "| time | gap | step | actor |", "|---|---|---|---|", ...lines, ""].join("\n");
}
