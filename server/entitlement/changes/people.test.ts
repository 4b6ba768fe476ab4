import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({}, undefined, mint);
  await kenri.start("entitlement:api");
  await kenri.grant("alice", "item1");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

async function read(path: string, userId: string, roles: readonly string[]): Promise<number> {
  const authorization = `Bearer ${await mint.token("entitlement", userId, roles)}`;
  return (await kenri.call("entitlement", path, { headers: { authorization } })).status;
}

describe.each(["/v1/users/alice/entitlements", "/v1/users/alice/entitlements/item1/history"])("%s is read", path => {
  test.each([
    ["by alice", "alice", ["USER"], 200],
    ["by alice without a role", "alice", [], 200],
    ["not by bob", "bob", ["USER"], 403],
    ["not by who is nearly alice", "Alice", ["USER"], 403],
    ["by a viewer", "vera", ["USER", "VIEWER"], 200],
    ["by an operator", "otto", ["OPERATOR"], 200],
    ["by an admin", "ada", ["ADMIN"], 200],
    ["not by the gateway without a user", "gateway", ["GATEWAY"], 403],
    ["not by roles that are none", "eve", ["admin", "ROOT"], 403],
  ])("%s", async (_, userId, roles, status) => expect(await read(path, userId, roles)).toBe(status));

  test("by a key with the scope, and not by one without", async () => {
    const withScope = await kenri.newKey("reader", ["entitlements:read"]);
    const without = await kenri.newKey("writer", ["entitlements:write", "ops:read"]);
    const status = async (key: string) => (await kenri.call("entitlement", path, { headers: { authorization: `Bearer ${key}` } })).status;
    expect([await status(withScope), await status(without)]).toEqual([200, 403]);
  });
});

test("which purchase is behind a change is told to its user, operators and admins, not to who may only look", async () => {
  const purchase = async (userId: string, ...roles: string[]) => {
    const authorization = `Bearer ${await mint.token("entitlement", userId, roles)}`;
    const response = await kenri.call("entitlement", "/v1/users/alice/entitlements/item1/history", { headers: { authorization } });
    return ((await response.json()) as { history: { purchase_id: string }[] }).history[0]!.purchase_id;
  };
  expect([await purchase("alice", "USER"), await purchase("otto", "OPERATOR"), await purchase("ada", "ADMIN")]).toEqual([
    "p_1",
    "p_1",
    "p_1",
  ]);
  expect(await purchase("vera", "USER", "VIEWER")).toBe("•••");
});

test("what is alice's is hers to read, not to grant", async () => {
  const authorization = `Bearer ${await mint.token("entitlement", "alice", ["USER", "ADMIN"])}`;
  expect((await kenri.grant("alice", "item2", { headers: { authorization } })).status).toBe(403);
});
