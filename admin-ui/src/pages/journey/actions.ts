import type { Action } from "../../api/answers.ts";
import { operationOf, titleOfAction } from "../../parts/action_titles.ts";
import type { Step } from "../../parts/step.ts";

export const stepOfAction = (action: Action, after: readonly string[]): Step => ({
  key: action.action_id,
  at: action.at,
  tone: action.action.endsWith(".discard") ? "failed" : "flight",
  title: `${titleOfAction(action.action)}${operationOf(action) ? " in a bulk operation" : ""}`,
  who: action.actor,
  text: action.reason,
  after,
});
