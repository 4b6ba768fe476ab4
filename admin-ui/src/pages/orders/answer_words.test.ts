import { expect, test } from "bun:test";
import { answerWords } from "./answer_words.ts";
import type { AskAnswer } from "./queries.ts";

const settled = { status: "succeeded", outcome_unknown: false } as const;
const open = { status: "failed", outcome_unknown: true } as const;

test.each<[AskAnswer, string]>([
  [{ answer: "executed", ...settled, broker_order_id: "PB-7" }, "The broker executed it as PB-7. The order succeeded."],
  [
    { answer: "rejected", status: "aborted", outcome_unknown: false, reason_code: "UNKNOWN_SYMBOL", message: "no such symbol" },
    "The broker rejected it: UNKNOWN_SYMBOL: no such symbol. The order failed.",
  ],
  [{ answer: "working", ...open }, "The broker has it and has not executed it yet. The sender asks again later."],
  [{ answer: "unknown_to_broker", ...open }, "The broker does not know it: it never arrived. The sender asks once more and then sends it."],
  [{ answer: "no_answer", ...open, reason_code: "TIMEOUT" }, "The broker did not answer (TIMEOUT). Nothing was changed."],
])("%j", (answer, text) => expect(answerWords(answer).text).toBe(text));

test("an order that is still open is not shown as settled", () =>
  expect(answerWords({ answer: "executed", ...open }).text).toBe("The broker executed it."));
