import { callerOf } from "../kernel/http/callers.ts";
import { notFound, Problem, unavailable } from "../kernel/http/problem.ts";
import type { Outcome, User } from "./changes.ts";

/** The caller, as the audit names them. */
export function actorOf(request: Request): string {
  const { person, clientId } = callerOf(request);
  return person?.userId ?? clientId;
}

export const noSuchUser = () => notFound("there is no such user");

/** The response to a change: the user, or a refusal. */
export function answerTo(result: Outcome): User {
  switch (result.outcome) {
    case "done":
      return result.user;
    case "unknown":
      throw noSuchUser();
    case "inactive":
      throw new Problem(403, "ACCOUNT_INACTIVE", "your account is suspended");
    case "demoted":
      throw new Problem(403, "FORBIDDEN", "this requires the role ADMIN, which your account no longer has");
    case "conflict":
      throw new Problem(409, "ACCOUNT_STATE_CONFLICT", "the account has that status already");
    case "own":
      throw new Problem(409, "OWN_ACCOUNT", "nobody can suspend themselves or take ADMIN from themselves; ask another ADMIN");
    case "erased":
      throw new Problem(409, "ACCOUNT_ERASED", "the user is erased or is being erased; the account cannot be changed any more");
    case "contended":
      throw unavailable("the account is being changed by others; try again");
  }
}
