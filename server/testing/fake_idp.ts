import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** An identity provider that can misbehave as a real one never does. Every visitor is signed in as `subject`. */
export interface FakeIdp {
  readonly issuer: string;
  subject: string;
  /** Claims that replace those of the next ID tokens. */
  lies: JWTPayload;
  /** Milliseconds before each response. */
  delay: number;
  /** Signs with a new key and publishes only that one. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

interface Asked {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

export async function fakeIdp(): Promise<FakeIdp> {
  const make = async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: crypto.randomUUID(), alg: "ES256", use: "sig" } };
  };
  let key = await make();
  const codes = new Map<string, Asked>();

  function authorize(query: URLSearchParams): Response {
    const code = crypto.randomUUID();
    const redirectUri = query.get("redirect_uri")!;
    codes.set(code, { nonce: query.get("nonce")!, challenge: query.get("code_challenge")!, redirectUri });
    return Response.redirect(`${redirectUri}?${new URLSearchParams({ code, state: query.get("state")!, iss: idp.issuer })}`, 302);
  }

  async function token(form: URLSearchParams): Promise<Response> {
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const proof = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    if (!asked || asked.challenge !== proof || asked.redirectUri !== form.get("redirect_uri"))
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: idp.issuer,
      aud: "kenri",
      sub: idp.subject,
      nonce: asked.nonce,
      iat: now,
      exp: now + 60,
      email: `${idp.subject}@example.test`,
      email_verified: true,
      name: idp.subject,
      ...idp.lies,
    };
    const idToken = await new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: key.jwk.kid }).sign(key.privateKey);
    return Response.json({ access_token: "opaque", token_type: "Bearer", id_token: idToken });
  }

  const discovery = () => ({
    issuer: idp.issuer,
    authorization_endpoint: `${idp.issuer}/authorize`,
    token_endpoint: `${idp.issuer}/token`,
    jwks_uri: `${idp.issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    authorization_response_iss_parameter_supported: true,
  });

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (idp.delay > 0) await Bun.sleep(idp.delay);
      const url = new URL(request.url);
      if (url.pathname === "/authorize") return authorize(url.searchParams);
      if (url.pathname === "/token") return token(new URLSearchParams(await request.text()));
      if (url.pathname === "/jwks") return Response.json({ keys: [key.jwk] });
      return Response.json(discovery());
    },
  });
  const idp: FakeIdp = {
    issuer: `http://127.0.0.1:${server.port}`,
    subject: "mallory",
    lies: {},
    delay: 0,
    async rotate() {
      key = await make();
    },
    close: () => server.stop(true),
  };
  return idp;
}
