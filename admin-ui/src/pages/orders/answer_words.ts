import type { Tone } from "../../parts/row_kinds.ts";
import type { AskAnswer } from "./queries.ts";

/** The broker's answer in words, and what became of the order. */
export function answerWords({ answer, status, outcome_unknown, broker_order_id, reason_code, message }: AskAnswer): {
  tone: Tone;
  text: string;
} {
  const why = [reason_code, message].filter(Boolean).join(": ");
  const settled = outcome_unknown
    ? ""
    : status === "succeeded"
      ? " The order succeeded."
      : status === "aborted"
        ? " The order failed."
        : "";
  switch (answer) {
    case "executed":
      return { tone: "done", text: `The broker executed it${broker_order_id ? ` as ${broker_order_id}` : ""}.${settled}` };
    case "rejected":
      return { tone: "failed", text: `The broker rejected it${why ? `: ${why}` : ""}.${settled}` };
    case "working":
      return { tone: "flight", text: "The broker has it and has not executed it yet. The sender asks again later." };
    case "unknown_to_broker":
      return {
        tone: "pending",
        text: `The broker does not know it: it never arrived.${status === "failed" || status === "pending" ? " The sender asks once more and then sends it." : settled}`,
      };
    case "no_answer":
      return { tone: "retry", text: `The broker did not answer${why ? ` (${why})` : ""}. Nothing was changed.` };
  }
}
