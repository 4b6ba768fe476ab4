import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestKenri, type TestSystem, testKenri } from "../../testing/kenri.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { goodClaims, tokenAttacks } from "../../testing/token_attacks.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

const alice = "01890000-0000-7000-8000-00000000a11c";
/** For each system a route that people may use, and what it answers to a good token. */
const doors: [system: TestSystem, path: string, status: number][] = [
  ["entitlement", `/v1/users/${alice}/entitlements`, 200],
  ["notification", "/ops/notifications/dead", 200],
  ["account", `/users/${alice}`, 404],
];

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({}, undefined, mint);
  await kenri.start("entitlement:api notification:api account:api");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

async function ask(system: TestSystem, path: string, credential: string, headers: Record<string, string> = {}) {
  const response = await kenri.call(system, path, { headers: { authorization: credential, ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const unauthorized = { status: 401, code: "UNAUTHORIZED" };

describe.each(doors)("%s", (system, path, status) => {
  const good = () => goodClaims(system, alice, ["USER", "ADMIN"]);

  test("takes a good token", async () => {
    expect((await ask(system, path, `Bearer ${await mint.forge(good())}`)).status).toBe(status);
  });

  test.each(tokenAttacks)("refuses a token: %s", async (_, forge) => {
    const token = await forge(mint, good());
    const answer = await ask(system, path, `Bearer ${token}`);
    expectRefusal(answer, unauthorized, [token]);
    expect(answer.headers.get("www-authenticate")).toStartWith("Bearer ");
  });

  test("refuses a good token of its neighbours", async () => {
    for (const [other] of doors.filter(([name]) => name !== system))
      expectRefusal(await ask(system, path, `Bearer ${await mint.forge(goodClaims(other, alice, ["ADMIN"]))}`), unauthorized);
  });

  test("knows nobody by a header, a query or another scheme", async () => {
    const token = await mint.forge(good());
    expectRefusal(await ask(system, path, "", { "x-user-id": alice, "x-roles": "ADMIN" }), unauthorized);
    expectRefusal(await ask(system, `${path}?access_token=${token}`, ""), unauthorized, [token]);
    expectRefusal(await ask(system, path, `Basic ${token}`), unauthorized, [token]);
  });
});
