import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { scratchFolder } from "../scratch.ts";
import { forgetStack, type Stack, startStack } from "../stack.ts";
import { authorizeUrl, browser, exchange, newVerifier, signInAs } from "./visitor.ts";

const callback = "http://127.0.0.1:8080/callback";
let stack: Stack<"idp">;
beforeAll(async () => {
  stack = await startStack({ dir: scratchFolder(), servers: ["idp"], environment: {} });
});
afterAll(async () => {
  await stack.stop();
  forgetStack(stack.dir);
});

async function codeFor(username: string, verifier: string, redirectUri = callback): Promise<string> {
  const back = await signInAs(browser(), authorizeUrl(stack.idp, { verifier, redirectUri, nonce: "n-1" }), username);
  expect(back.href).toStartWith(`${redirectUri}?`);
  expect(back.searchParams.get("state")).toBe("s-1");
  expect(back.searchParams.get("iss")).toBe(stack.idp.issuer);
  return back.searchParams.get("code") ?? "";
}

test("a demo user signs in, and the ID token has the name and the roles", async () => {
  const { issuer, clientId } = stack.idp;
  const verifier = newVerifier();
  const tokens = await exchange(stack.idp, { code: await codeFor("operator", verifier), verifier, redirectUri: callback });
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  const { payload } = await jwtVerify(tokens.id_token ?? "", keys, { issuer, audience: clientId });
  const claims = {
    sub: "operator",
    name: "Otto Operator",
    email: "operator@example.test",
    email_verified: true,
    picture: `${issuer}/pictures/operator.svg`,
    roles: ["OPERATOR"],
  };
  expect(payload).toMatchObject({ ...claims, nonce: "n-1" });
  const userinfo = await fetch(`${issuer}/me`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
  expect(await userinfo.json()).toEqual(claims);
  expect((await fetch(claims.picture)).headers.get("content-type")).toStartWith("image/svg+xml");
});

test("a player has no roles, and any port of loopback is a valid redirect", async () => {
  const verifier = newVerifier();
  const redirectUri = "http://localhost:23456/callback";
  const tokens = await exchange(stack.idp, { code: await codeFor("alice", verifier, redirectUri), verifier, redirectUri });
  const userinfo = await fetch(`${stack.idp.issuer}/me`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
  expect(await userinfo.json()).toMatchObject({ sub: "alice", roles: [] });
});

test("a wrong password shows the page again with a message, and keeps the name as text", async () => {
  for (const [username, password] of [
    ["alice", "bob"],
    ["nobody", "nobody"],
    ['"><b>', "x"],
    ["__proto__", "__proto__"],
  ] as const) {
    const visitor = browser();
    const page = await visitor.visit(authorizeUrl(stack.idp, { verifier: newVerifier(), redirectUri: callback }));
    const again = await visitor.submit(page.url, { username, password });
    expect([username, again.status]).toEqual([username, 400]);
    expect(again.text).toContain("User or password is wrong.");
    expect(again.text).toContain(`value="${Bun.escapeHTML(username)}"`);
    expect(again.text).toContain("For development only");
  }
});

test("the page loads nothing from other hosts and runs no script", async () => {
  const page = await browser().visit(authorizeUrl(stack.idp, { verifier: newVerifier(), redirectUri: callback }));
  expect(page.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'sha256-");
  expect(page.text).not.toMatch(/<script|https?:\/\//);
});

test("another redirect URI is refused, without a redirect to it", async () => {
  for (const redirectUri of ["http://evil.test/callback", "http://127.0.0.1:8080/other", "http://127.0.0.1.evil.test/callback"]) {
    const page = await browser().visit(authorizeUrl(stack.idp, { verifier: newVerifier(), redirectUri }));
    expect([redirectUri, page.status, page.text.includes("redirect_uri")]).toEqual([redirectUri, 400, true]);
  }
});

test("without PKCE, or with a plain challenge, no code is given", async () => {
  for (const [method, challenge] of [
    [undefined, undefined],
    ["plain", newVerifier()],
  ] as const) {
    const url = authorizeUrl(stack.idp, { verifier: newVerifier(), redirectUri: callback });
    for (const [name, value] of [["code_challenge_method", method] as const, ["code_challenge", challenge] as const]) {
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    const back = await browser().visit(url);
    expect(back.url.href).toStartWith(callback);
    expect([back.url.searchParams.get("error"), back.url.searchParams.get("code")]).toEqual(["invalid_request", null]);
  }
});

test("a code needs its verifier and the client's secret", async () => {
  const verifier = newVerifier();
  const code = await codeFor("bob", verifier);
  const stranger = { ...stack.idp, clientSecret: "guessed" };
  expect(await exchange(stranger, { code, verifier, redirectUri: callback })).toMatchObject({ error: "invalid_client" });
  expect(await exchange(stack.idp, { code, verifier: newVerifier(), redirectUri: callback })).toMatchObject({ error: "invalid_grant" });
});

test("the form of another browser's sign-in is refused", async () => {
  const page = await browser().visit(authorizeUrl(stack.idp, { verifier: newVerifier(), redirectUri: callback }));
  const stolen = await browser().submit(page.url, { username: "alice", password: "alice" });
  expect([stolen.status, stolen.text]).toEqual([400, expect.stringContaining("This sign-in is over")]);
});

test("only the owner can read the secret and the key; both survive a restart; a wiped key is replaced", async () => {
  const kids = async () => {
    const answer = await fetch(`${stack.idp.issuer}/jwks`);
    return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const first = await kids();
  for (const file of ["client.json", "signing_key.json"]) expect(statSync(join(stack.dir, "idp", file)).mode & 0o777).toBe(0o600);
  await stack.idp.halt();
  await stack.idp.start();
  expect(await kids()).toEqual(first);
  await stack.idp.stop();
  stack.idp.wipe();
  await stack.idp.start();
  expect(await kids()).not.toEqual(first);
});
