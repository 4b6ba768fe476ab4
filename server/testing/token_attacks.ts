import { type JWTPayload, SignJWT } from "jose";
import { issuer, jwtType } from "../kernel/http/tokens.ts";
import { type TestMint, testMint } from "./tokens.ts";

/** A credential that no service may accept; `claims` are those of a good token for the attacked service. */
export type Attack = readonly [name: string, forge: (mint: TestMint, claims: JWTPayload) => Promise<string> | string];

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const unsigned = (header: object, claims: JWTPayload, signature = "") => `${part(header)}.${part(claims)}.${signature}`;
const hmac = (secret: Uint8Array, claims: JWTPayload, kid: unknown) =>
  new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: jwtType, kid: String(kid) }).sign(secret);
const bytes = (text: string) => new TextEncoder().encode(text);
const now = () => Math.floor(Date.now() / 1000);

/** The claims of a good token for `audience`. */
export const goodClaims = (audience: string, userId: string, roles: readonly string[]): JWTPayload => ({
  iss: issuer,
  aud: audience,
  sub: userId,
  roles,
  iat: now(),
  exp: now() + 30,
});

export const tokenAttacks: readonly Attack[] = [
  ["alg none without a signature", (_, claims) => unsigned({ alg: "none", typ: jwtType }, claims)],
  ["alg None with a kid", (mint, claims) => unsigned({ alg: "None", typ: jwtType, kid: mint.publicJwk().kid }, claims)],
  ["alg none with a signature", (_, claims) => unsigned({ alg: "none", typ: jwtType }, claims, "AAAA")],
  ["EdDSA with an empty signature", (mint, claims) => unsigned({ alg: "EdDSA", typ: jwtType, kid: mint.publicJwk().kid }, claims)],
  [
    "HS256 with the public key's bytes as the secret",
    (mint, claims) => hmac(Buffer.from(String(mint.publicJwk().x), "base64url"), claims, mint.publicJwk().kid),
  ],
  [
    "HS256 with the published key's text as the secret",
    (mint, claims) => hmac(bytes(JSON.stringify(mint.publicJwk())), claims, mint.publicJwk().kid),
  ],
  ["a kid nobody published", (mint, claims) => mint.forge(claims, { kid: "other" })],
  ["a kid that is a path", (mint, claims) => mint.forge(claims, { kid: "../../../dev/null" })],
  ["the key of a stranger under the known kid", signedByStranger],
  ["the key of a stranger in the header", withOwnKey],
  ["changed after signing", changed],
  ["for another service", (mint, claims) => mint.forge({ ...claims, aud: "another" })],
  ["for no service", (mint, claims) => mint.forge({ ...claims, aud: undefined })],
  ["of another issuer", (mint, claims) => mint.forge({ ...claims, iss: "https://idp.example" })],
  ["expired", (mint, claims) => mint.forge({ ...claims, iat: now() - 100, exp: now() - 60 })],
  ["without an end", (mint, claims) => mint.forge({ ...claims, exp: undefined })],
  ["good for years", (mint, claims) => mint.forge({ ...claims, iat: now() - 3600, exp: now() + 1e8 })],
  ["of tomorrow", (mint, claims) => mint.forge({ ...claims, iat: now() + 86_400, exp: now() + 86_430 })],
  ["an ID token by its type", (mint, claims) => mint.forge(claims, { typ: "JWT" })],
  ["an access token by its type", (mint, claims) => mint.forge(claims, { typ: "at+jwt" })],
  ["without a user", (mint, claims) => mint.forge({ ...claims, sub: undefined })],
  ["without roles", (mint, claims) => mint.forge({ ...claims, roles: undefined })],
  ["three dots", () => "a.b.c"],
];

async function signedByStranger(mint: TestMint, claims: JWTPayload): Promise<string> {
  const stranger = await testMint();
  return stranger.forge(claims, { kid: mint.publicJwk().kid }).finally(() => stranger.close());
}

async function withOwnKey(mint: TestMint, claims: JWTPayload): Promise<string> {
  const stranger = await testMint();
  const header = { kid: mint.publicJwk().kid, jwk: stranger.publicJwk(), jku: stranger.jwksUrl };
  return stranger.forge(claims, header).finally(() => stranger.close());
}

async function changed(mint: TestMint, claims: JWTPayload): Promise<string> {
  const [header, , signature] = (await mint.forge({ ...claims, roles: [] })).split(".");
  return [header, part(claims), signature].join(".");
}
