import { expect, type Page } from "@playwright/test";
import { variable } from "./stack.ts";

/** Opens the start page and signs in at the identity provider. */
export async function signInAs(page: Page, user: string): Promise<void> {
  await page.goto(variable("GATEWAY_URL"));
  await page.getByRole("link", { name: "Sign in" }).click();
  await fillIn(page, user);
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
}

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
