// Signs in at the identity provider as a browser does, by plain HTTP: for tests.
import { createHash, randomBytes } from "node:crypto";

export interface Client {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Page {
  /** The last URL: a page of the provider, or the client's callback, which is not requested. */
  url: URL;
  status: number;
  headers: Headers;
  text: string;
}

export interface Browser {
  visit(url: URL): Promise<Page>;
  submit(url: URL, form: Record<string, string>): Promise<Page>;
}

/** Keeps the cookies of one host and follows redirects to that host only. */
export function browser(): Browser {
  const cookies = new Map<string, string>();
  async function request(url: URL, form?: Record<string, string>): Promise<Page> {
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    const target = location === null ? url : new URL(location, url);
    if (location !== null && target.origin === url.origin) return request(target);
    return { url: target, status: answer.status, headers: answer.headers, text: await answer.text() };
  }
  return { visit: url => request(url), submit: request };
}

export const newVerifier = () => randomBytes(32).toString("base64url");

export interface Authorization {
  verifier: string;
  redirectUri: string;
  nonce?: string;
}

export function authorizeUrl({ issuer, clientId }: Client, { verifier, redirectUri, nonce }: Authorization): URL {
  const url = new URL(`${issuer}/auth`);
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    scope: "openid profile email",
    redirect_uri: redirectUri,
    state: "s-1",
    ...(nonce !== undefined && { nonce }),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  return url;
}

/** Through the sign-in page and back: the URL of the callback, with its code. */
export async function signInAs(visitor: Browser, authorize: URL, username: string, password = username): Promise<URL> {
  const page = await visitor.visit(authorize);
  if (page.url.origin !== authorize.origin) return page.url; // signed in already
  return (await visitor.submit(page.url, { username, password })).url;
}

export interface TokenAnswer {
  id_token?: string;
  access_token?: string;
  error?: string;
}

export async function exchange(
  { issuer, clientId, clientSecret }: Client,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
): Promise<TokenAnswer> {
  const answer = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier }),
  });
  return (await answer.json()) as TokenAnswer;
}
