/** The outbox counts failed attempts only, not the successful one. A republished event has a new message id. */
export function attemptsOf({
  attempt_count: failed,
  publish_generation: generation,
}: {
  readonly attempt_count: number | null;
  readonly publish_generation: number | null;
}): string {
  const attempt = failed ? `attempt ${failed + 1}, after ${failed} failed` : "first attempt";
  return generation ? `${attempt} of republish ${generation}` : attempt;
}
