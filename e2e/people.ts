import { type Cookie, expect, type Page } from "@playwright/test";
import { variable } from "./stack.ts";

/** The open session of a user. Later tests use it again: a sign-in is three pages. */
const sessions = new Map<string, Cookie[]>();

/** Opens the start page of a user who is signed in. */
export async function signInAs(page: Page, user: string): Promise<void> {
  await restoreSession(page, user);
  await page.goto(variable("GATEWAY_URL"));
  const [signIn, signOut] = [page.getByRole("link", { name: "Sign in" }), page.getByRole("button", { name: "Sign out" })];
  await expect(signIn.or(signOut)).toBeVisible();
  if (await signIn.isVisible()) {
    await signIn.click();
    await fillIn(page, user);
    await expect(signOut).toBeVisible();
  }
  await keepSession(page, user);
}

export const restoreSession = (page: Page, user: string) => page.context().addCookies(sessions.get(user) ?? []);

/** Without the cookies of the identity provider: a sign-in after the end of the session asks for the password. */
export async function keepSession(page: Page, user: string): Promise<void> {
  const cookies = await page.context().cookies(variable("GATEWAY_URL"));
  sessions.set(
    user,
    cookies.filter(({ name }) => name === "kenri"),
  );
}

/** The next test signs in again. */
export const forgetSession = (user: string) => sessions.delete(user);

export async function fillIn(page: Page, user: string, password = user): Promise<void> {
  await page.getByLabel("User", { exact: true }).fill(user);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Grants by the API, like a payment system. */
export async function grant(userId: string, sku: string): Promise<void> {
  const answer = await fetch(`${variable("ENTITLEMENT_URL")}/v1/entitlements/grants`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${variable("KENRI_API_KEY")}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify({ user_id: userId, stock_keeping_unit: sku, reason: "PURCHASE", purchase_id: "order-1" }),
  });
  expect(answer.status).toBe(200);
}

/** Makes the work of a system fail for users with this prefix, until it is set to "". */
export async function failFor(system: string, prefix: string): Promise<void> {
  const answer = await fetch(`${variable(`${system}_URL`)}/debug/faults`, {
    method: "PUT",
    headers: { authorization: `Bearer ${variable("KENRI_API_KEY")}`, "content-type": "application/json" },
    body: JSON.stringify({ user_prefix: prefix }),
  });
  expect(answer.status).toBe(200);
}
