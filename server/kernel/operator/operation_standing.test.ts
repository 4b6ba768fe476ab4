import { expect, test } from "bun:test";
import { whyStopped } from "./operation_standing.ts";

const of = (account_status: "ACTIVE" | "SUSPENDED" | "UNKNOWN", ...roles: string[]) => ({ account_status, roles });

test.each([
  ["an operator requeues", "requeue", 10, of("ACTIVE", "USER", "OPERATOR"), undefined],
  ["an operator at the cap", "retry", 100, of("ACTIVE", "OPERATOR"), undefined],
  ["an admin discards many", "discard", 5000, of("ACTIVE", "ADMIN"), undefined],
  ["a suspended admin", "requeue", 1, of("SUSPENDED", "ADMIN"), "the account of user:o was suspended"],
  ["nobody", "requeue", 1, of("UNKNOWN"), "the account of user:o is no longer there"],
  ["a viewer", "requeue", 1, of("ACTIVE", "VIEWER"), "user:o no longer has the role OPERATOR or ADMIN"],
  ["an operator discards", "discard", 1, of("ACTIVE", "OPERATOR"), "user:o no longer has the role ADMIN, which discarding takes"],
  [
    "an operator over the cap",
    "retry",
    101,
    of("ACTIVE", "OPERATOR"),
    "user:o no longer has the role ADMIN, which more than 100 rows take",
  ],
] as const)("an operation needs the same roles as its start: %s", (_, action, total, standing, why) => {
  expect(whyStopped("user:o", { action, total }, { ...standing, roles: [...standing.roles] }, 100)).toBe(why);
});
