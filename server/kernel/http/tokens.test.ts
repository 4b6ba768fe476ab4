import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";
import { Problem } from "./problem.ts";
import { issuer, tokenVerifier } from "./tokens.ts";

let mint: TestMint;
beforeAll(async () => {
  mint = await testMint();
});
afterAll(() => mint.close());

const refusal = (error: unknown) => (error instanceof Problem ? error.status : error);
const now = () => Math.floor(Date.now() / 1000);
const claims = (changed: object = {}) => ({
  iss: issuer,
  aud: "account",
  sub: "alice",
  roles: ["USER"],
  iat: now(),
  exp: now() + 30,
  ...changed,
});

describe("a token of the gateway", () => {
  test("names its user and roles", async () => {
    const verify = tokenVerifier(mint.jwksUrl, "account");
    expect(await verify(await mint.token("account", "alice", ["USER", "ADMIN"]))).toEqual({ userId: "alice", roles: ["USER", "ADMIN"] });
  });

  test.each([
    ["for another service", { aud: "notification" }, {}],
    ["of another issuer", { iss: "https://idp.example" }, {}],
    ["that has expired", { iat: now() - 100, exp: now() - 60 }, {}],
    ["that lives too long", { iat: now() - 500, exp: now() + 500 }, {}],
    ["of tomorrow", { iat: now() + 3600, exp: now() + 3700 }, {}],
    ["without a user", { sub: undefined }, {}],
    ["with an empty user", { sub: "" }, {}],
    ["without roles", { roles: undefined }, {}],
    ["with roles that are none", { roles: "ADMIN" }, {}],
    ["without an end", { exp: undefined }, {}],
    ["that is an ID token by its type", {}, { typ: "JWT" }],
    ["without a type", {}, { typ: undefined }],
    ["with a kid nobody published", {}, { kid: "other" }],
  ])("%s is refused with 401", async (_, changed, header) => {
    const verify = tokenVerifier(mint.jwksUrl, "account");
    expect(await verify(await mint.forge(claims(changed), header)).catch(refusal)).toBe(401);
  });

  test("signed by a key that is published only now is taken; one signed by a key that is gone is refused", async () => {
    const verify = tokenVerifier(mint.jwksUrl, "account");
    const before = await mint.forge(claims());
    await verify(before);
    await mint.rotate();
    expect((await verify(await mint.forge(claims()))).userId).toBe("alice");
    expect(await verify(before).catch(refusal)).toBe(401);
  });

  test("signed by a key that is no longer published is refused within seconds", async () => {
    const verify = tokenVerifier(mint.jwksUrl, "account");
    const token = await mint.forge(claims());
    expect((await verify(token)).userId).toBe("alice");
    await mint.rotate();
    await until("it is refused", 5000, async () => (await verify(token).catch(refusal)) === 401);
  });

  test("with a kid that somebody invented makes nobody fetch the keys more than a few times a second", async () => {
    let fetched = 0;
    const keys = () => {
      fetched++;
      return Response.json({ keys: [mint.publicJwk()] });
    };
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: keys });
    const verify = tokenVerifier(`http://127.0.0.1:${server.port}/`, "account");
    const since = performance.now();
    for (let round = 0; round < 3; round++) {
      const tokens = await Promise.all(Array.from({ length: 50 }, () => mint.forge(claims(), { kid: crypto.randomUUID() })));
      const answers = await Promise.all(tokens.map(token => verify(token).catch(refusal)));
      expect(answers.every(answer => answer === 401)).toBe(true);
    }
    expect(fetched).toBeLessThanOrEqual(3 + (performance.now() - since) / 250);
    await server.stop(true);
  });

  test("is judged from known keys while the gateway hangs, without waiting for it", async () => {
    let hangs = false;
    let hung = 0;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async () => {
        if (!hangs) return Response.json({ keys: [mint.publicJwk()] });
        hung++;
        return new Promise<Response>(() => {});
      },
    });
    const verify = tokenVerifier(`http://127.0.0.1:${server.port}/`, "account");
    await verify(await mint.forge(claims()));
    hangs = true;
    await until("it has asked anew in vain", 10_000, async () => {
      expect((await verify(await mint.forge(claims()))).userId).toBe("alice");
      return hung > 0;
    });
    await server.stop(true);
  });

  test("cannot be judged while the keys cannot be read: 503, to be tried again", async () => {
    const gone = await testMint();
    const verify = tokenVerifier(gone.jwksUrl, "account");
    const token = await gone.token("account", "alice");
    await gone.close();
    expect(await verify(token).catch(refusal)).toBe(503);
  });

  test("can be judged from known keys while they cannot be read anew", async () => {
    const gone = await testMint();
    const verify = tokenVerifier(gone.jwksUrl, "account");
    await verify(await gone.token("account", "alice"));
    const token = await gone.token("account", "bob");
    await gone.close();
    expect((await verify(token)).userId).toBe("bob");
  });
});
