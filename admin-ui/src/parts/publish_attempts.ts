import type { JourneyEvent } from "../api/client.ts";

/** The outbox counts attempts that failed; the one that succeeded is not among them. A repetition has a message id of its own. */
export function attemptsOf({
  attempt_count: failed,
  publish_generation: generation,
}: Pick<JourneyEvent, "attempt_count" | "publish_generation">): string {
  const attempt = failed ? `attempt ${failed + 1}, after ${failed} that failed` : "first attempt";
  return generation ? `${attempt} of repetition ${generation}` : attempt;
}
