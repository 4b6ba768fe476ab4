import { textFormat } from "../kernel/http/text.ts";

/** What matchmaking and the gateway agree on: the attributes of a request to join. */
export const mostAttributes = 16;

export const attributeText = textFormat("attribute-text", {
  holds: value => [...value].length <= 200 && value.isWellFormed() && !value.includes("\0"),
  rule: "must be at most 200 characters, valid Unicode without U+0000",
});
