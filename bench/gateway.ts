import { testBrowser } from "../server/testing/browser.ts";
import { gatewayPlace, startGateway } from "../server/testing/gateway.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { testMint } from "../server/testing/tokens.ts";
import { type Figure, perSecond, throughput } from "./measure.ts";

const concurrency = 32;
const count = 6000;

export interface GatewayServers {
  readonly redis: { readonly url: string };
  readonly idp: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
}

async function ask(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** The cost of the gateway: `/v1/me` and the profile through it, compared with direct calls of the services. */
export async function gateway(kenri: TestKenri, { redis, idp }: GatewayServers): Promise<Figure[]> {
  const place = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api", place.forServices);
  const { url } = await startGateway(kenri, place, {
    REDIS_URL: redis.url,
    OIDC_ISSUER: idp.issuer,
    OIDC_CLIENT_ID: idp.clientId,
    OIDC_CLIENT_SECRET: idp.clientSecret,
    USER_CALLS: "1000", // one user stands for many here
  });
  const browser = testBrowser();
  await browser.signIn(url, "alice");
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const { user_id: userId } = (await (await browser.fetch(`${url}/v1/me`)).json()) as { user_id: string };
  for (const sku of ["sword", "shield", "season-pass"]) await kenri.grant(userId, sku);

  // Direct calls go to other APIs of the same systems, which accept tokens of the bench's own mint.
  const mint = await testMint();
  await kenri.start("account:api entitlement:api", { GATEWAY_JWKS_URL: mint.jwksUrl });
  const bearer = async (audience: string) => ({ authorization: `Bearer ${await mint.token(audience, userId)}` });
  const straight = {
    me: async () => ask(`${kenri.urlOf("account")}/users/${userId}`, await bearer("account")),
    entitlements: async () => ask(`${kenri.urlOf("entitlement")}/v1/users/${userId}/entitlements`, await bearer("entitlement")),
  };
  const both = () => Promise.all([straight.me(), straight.entitlements()]);
  const through = (path: string) => () => ask(`${url}${path}`, { cookie });
  const profile = through(`/v1/users/${userId}/profile`);

  const measured = async (work: () => Promise<unknown>) => {
    await throughput(concurrency, count / 4, work);
    return throughput(concurrency, count, work);
  };
  const figures = [
    {
      what: "who am I through the gateway",
      value: await measured(through("/v1/me")),
      against: "account",
      base: await measured(straight.me),
    },
    { what: "profile through the gateway", value: await measured(profile), against: "account and entitlement", base: await measured(both) },
  ];
  await mint.close();
  return figures.map(({ what, value, against, base }) => ({
    what: `${what}, ${concurrency} at once`,
    value: perSecond(value),
    against: `${against} straight, with a token made for each: ${perSecond(base)}`,
    ratio: value / base,
    goal: "",
  }));
}
