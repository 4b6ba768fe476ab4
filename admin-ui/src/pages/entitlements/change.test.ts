import { expect, test } from "bun:test";
import { ApiError } from "../../api/client.ts";
import { curlOf, isOutcomeUnknown } from "./change.ts";

const draft = { item: " sword ", reference: "ticket-7", reason: "lost in a crash" };

test("the curl command makes the same change with the same request key and a placeholder for the API key", () => {
  const line = curlOf("alice", "revoke", draft, "key-1");
  expect(line).toContain('"$ENTITLEMENT_URL/v1/entitlements/revokes"');
  expect(line).toContain('"Authorization: Bearer $KENRI_API_KEY"');
  expect(line).toContain("'Idempotency-Key: key-1'");
  expect(line).toEndWith(`-d '{"user_id":"alice","stock_keeping_unit":"sword","reason":"operator","purchase_id":"ticket-7"}'`);
});

test.each(["it's", "'; rm -rf /; '", "$(id)", "`id`", 'a"b\\c', "日本 🗡\nline"])(
  "%j reaches a shell's command as it is and runs nothing",
  async user => {
    const line = curlOf(user, "grant", draft, "key-1").replace(/^curl/, "printf '%s\\0'");
    const shell = Bun.spawn(["sh", "-c", line], { stdout: "pipe", env: { ENTITLEMENT_URL: "http://x", KENRI_API_KEY: "k" } });
    const words = (await new Response(shell.stdout).text()).split("\0");
    expect(JSON.parse(words[words.indexOf("-d") + 1]!)).toMatchObject({ user_id: user });
    expect(words).toContain("Authorization: Bearer k");
  },
);

test("only a response of the service proves that nothing was changed", () => {
  expect(isOutcomeUnknown(new ApiError(409, "ENTITLEMENT_STATE_CONFLICT", "…"))).toBe(false);
  expect(isOutcomeUnknown(new ApiError(400, "INVALID_REQUEST", "…"))).toBe(false);
  for (const status of [0, 502, 504]) expect(isOutcomeUnknown(new ApiError(status, "…", "…"))).toBe(true);
  expect(isOutcomeUnknown(new Error("?"))).toBe(true);
});
