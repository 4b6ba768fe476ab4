import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { issuer, jwtType } from "../kernel/http/tokens.ts";

/** A stand-in for the gateway where only tokens matter: publishes keys and mints tokens, valid or not. */
export interface TestMint {
  readonly jwksUrl: string;
  /** A token as the gateway would make it. */
  token(audience: string, userId: string, roles?: readonly string[]): Promise<string>;
  /** The same with chosen claims and header fields, for attacks. */
  forge(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>;
  /** New keys; the old ones are no longer published. */
  rotate(): Promise<void>;
  readonly publicJwk: () => Record<string, unknown>;
  close(): Promise<void>;
}

export async function testMint(): Promise<TestMint> {
  const make = async () => {
    const { privateKey, publicKey } = await generateKeyPair("EdDSA", { extractable: true });
    return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: crypto.randomUUID(), alg: "EdDSA", use: "sig" } };
  };
  let current = await make();
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ keys: [current.jwk] }) });
  const forge = (claims: JWTPayload, header: Record<string, unknown> = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", typ: jwtType, kid: current.jwk.kid, ...header }).sign(current.privateKey);
  return {
    jwksUrl: `http://127.0.0.1:${server.port}/.well-known/jwks.json`,
    forge,
    token(aud, sub, roles = ["USER"]) {
      const iat = Math.floor(Date.now() / 1000);
      return forge({ iss: issuer, aud, sub, roles, iat, exp: iat + 30, jti: crypto.randomUUID() });
    },
    async rotate() {
      current = await make();
    },
    publicJwk: () => current.jwk,
    close: () => server.stop(true),
  };
}
