import type { Action } from "../../api/api.ts";
import { operationOf, wordsOfAction } from "../../parts/action_words.ts";
import type { Step } from "./journey_steps.ts";

export const stepOfAction = (action: Action, after: readonly string[]): Step => ({
  key: action.action_id,
  at: action.at,
  tone: action.action.endsWith(".discard") ? "failed" : "flight",
  title: `${wordsOfAction(action.action)}${operationOf(action) ? " in a bulk operation" : ""}`,
  who: action.actor,
  text: action.reason,
  after,
});
