import type { Consistency } from "../../api/answers.ts";
import { count, exact } from "../../parts/format.ts";
import type { Tone } from "../../parts/row_kinds.ts";

type Check = Pick<NonNullable<Consistency["verification"]>, "checked_at" | "is_late" | "missing">;

/** What the check of confirmed events has found. That none was found is good only if the check still runs. */
export function markOf({ checked_at, is_late, missing }: Check, zone: "local" | "utc"): { tone: Tone; word: string } {
  if (checked_at === null) return { tone: "pending", word: "Not checked yet" };
  const since = exact(checked_at, zone).replace(/\.\d+/, "");
  if (missing.count > 0) return { tone: "failed", word: `${count(missing)} missing${is_late ? `, not checked since ${since}` : ""}` };
  return is_late ? { tone: "retry", word: `Not checked since ${since}` } : { tone: "done", word: "None missing" };
}
