import { expect, test } from "bun:test";
import { rolesOf, signingProblems, systemNames } from "./systems.ts";

const keys = [{ id: "k", secret: "s".repeat(32) }];
const needing = ["entitlement:api", "entitlement:relay", "notification:api", "notification:consumer"];

test.each(systemNames.flatMap(rolesOf))("%s starts in production without signing keys only if it signs and verifies nothing", role => {
  const problems = signingProblems({ environment: "production", signingKeys: undefined }, [role]);
  expect(problems).toHaveLength(needing.includes(role) ? 1 : 0);
  for (const problem of problems) expect(problem).toMatch(/^EVENT_SIGNING_KEYS is not set: .*; set it to <id>:<secret of at least 32 /);
  expect(signingProblems({ environment: "production", signingKeys: keys }, [role])).toEqual([]);
  expect(signingProblems({ environment: "development", signingKeys: undefined }, [role])).toEqual([]);
});
