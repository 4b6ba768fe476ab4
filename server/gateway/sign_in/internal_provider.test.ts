import { afterAll, beforeAll, expect, test } from "bun:test";
import { testBrowser } from "../../testing/browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { type SplitIdp, splitIdp } from "../../testing/split_idp.ts";

let kenri: TestKenri;
let idp: SplitIdp;
let inside: TestGateway;
beforeAll(async () => {
  kenri = await testKenri();
  idp = await splitIdp();
  const place = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api", place.forServices);
  inside = await startGateway(kenri, place, { ...idp.environment, OIDC_INTERNAL_URL: idp.internalUrl });
});
afterAll(async () => {
  await kenri.close();
  await idp.close();
});

test("a person signs in at the public address while the gateway asks the provider at the internal one only", async () => {
  const browser = testBrowser();
  const begin = await browser.fetch(`${inside.url}/login`);
  expect(begin.headers.get("location")).toStartWith(`${idp.issuer}/auth?`);
  const { response, url } = await browser.signIn(inside.url, "alice");
  expect([response.status, url]).toEqual([200, `${inside.url}/`]);
  expect((await browser.fetch(`${inside.url}/v1/me`)).status).toBe(200);
  expect(new Set(idp.asked.inside)).toEqual(new Set(["/.well-known/openid-configuration", "/token", "/jwks"]));
  expect(idp.asked.outside).toEqual([]);
});

test("without the internal address it asks at the public one, where it is refused here", async () => {
  const outside = await startGateway(kenri, await gatewayPlace(), idp.environment);
  expect((await fetch(`${outside.url}/login`, { redirect: "manual" })).status).toBe(502);
  expect(idp.asked.outside).toEqual(["/.well-known/openid-configuration"]);
});

test("a provider at the internal address that is another issuer is not believed", async () => {
  const other = await splitIdp();
  try {
    const misled = await startGateway(kenri, await gatewayPlace(), { ...idp.environment, OIDC_INTERNAL_URL: other.internalUrl });
    const answer = await fetch(`${misled.url}/login`, { redirect: "manual" });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, "SIGN_IN_FAILED"]);
    expect(other.asked.inside).toEqual(["/.well-known/openid-configuration"]);
  } finally {
    await other.close();
  }
});
