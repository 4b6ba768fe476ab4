import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import { fillIn, forgetSession, signInAs } from "./people.ts";
import { variable } from "./stack.ts";

test("alice signs in at /login and /v1/me returns her; after the sign-out the server refuses her cookie", async ({ page, context }) => {
  const gateway = variable("GATEWAY_URL");
  await page.goto(`${gateway}/login?returnTo=/v1/me`);
  await fillIn(page, "alice");
  await page.waitForURL(`${gateway}/v1/me`);
  expect(JSON.parse((await page.locator("body").textContent()) ?? "")).toMatchObject({
    email: "alice@example.test",
    account_status: "ACTIVE",
  });

  const [cookie] = (await context.cookies(gateway)).filter(({ name }) => name === "kenri");
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
  await page.goto(gateway);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();
  expect((await context.cookies(gateway)).filter(({ name }) => name === "kenri")).toEqual([]);
  await context.addCookies([cookie!]);
  expect((await page.goto(`${gateway}/v1/me`))?.status()).toBe(401);
});

test("after a sign-out a password is required again, and another user can sign in", async ({ page }) => {
  forgetSession("alice"); // the password is entered in this browser
  await signInAs(page, "alice");
  await expect(page.getByRole("heading", { name: "Alice" })).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Sign in" }).click();
  await fillIn(page, "bob");
  await expect(page.getByRole("heading", { name: "Bob" })).toBeVisible();
});

test("a failed sign-in leads to an error page with a link to try again", async ({ page }) => {
  await page.goto(`${variable("GATEWAY_URL")}/callback?code=x&state=y`);
  await expect(page.getByRole("heading", { name: "That did not work" })).toBeVisible();
  await page.getByRole("link", { name: "Sign in again" }).click();
  await expect(page.getByRole("heading", { name: "Sign in to Kenri" })).toBeVisible();
});

test("an image or frame on another site starts no sign-in; a link does", async ({ page, context }) => {
  const login = `${variable("GATEWAY_URL")}/login`;
  const statuses: number[] = [];
  const blocked: string[] = [];
  page.on("requestfailed", request => void blocked.push(request.url()));
  page.on("response", answer => {
    if (answer.url().startsWith(login)) statuses.push(answer.status());
  });
  const body = `<img src="${login}?prompt=login"><iframe src="${login}"></iframe><a href="${login}">Sign in there</a>`;
  const elsewhere = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(body)).listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
  // For a browser localhost and 127.0.0.1 are different sites.
  await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`);
  await expect.poll(() => blocked.sort()).toEqual([login, `${login}?prompt=login`]);
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect(await context.cookies(login)).toEqual([]);
  await page.getByRole("link", { name: "Sign in there" }).click();
  await expect(page.getByLabel("Password", { exact: true })).toBeVisible();
  elsewhere.close();
});
