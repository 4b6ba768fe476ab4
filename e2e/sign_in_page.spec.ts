import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Page, test } from "@playwright/test";
import { variable } from "./stack.ts";

const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** Opens the IdP as an OIDC client does. The challenge has no verifier, because the code is not redeemed. */
async function openSignIn(page: Page, callback = "http://127.0.0.1:8080/callback"): Promise<void> {
  const url = new URL("/auth", variable("IDP_URL"));
  url.search = new URLSearchParams({
    client_id: "kenri",
    response_type: "code",
    scope: "openid profile email",
    redirect_uri: callback,
    state: "of-this-test",
    code_challenge: "A".repeat(43),
    code_challenge_method: "S256",
  }).toString();
  await page.goto(url.href);
}

async function signIn(page: Page, user: string, password: string): Promise<void> {
  await page.getByLabel("User", { exact: true }).fill(user);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

for (const [name, viewport] of Object.entries(sizes)) {
  for (const colorScheme of ["light", "dark"] as const) {
    test.describe(`${name}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme });

      test("the sign-in page fits, lists the demo users and says that it is for development", async ({ page }) => {
        const complaints: string[] = [];
        page.on("console", message => complaints.push(message.text()));
        await openSignIn(page);
        await expect(page.getByRole("heading", { name: "Sign in to Kenri" })).toBeVisible();
        await expect(page.getByText("For development only")).toBeVisible();
        await expect(page.getByRole("list", { name: "Demo users" }).getByRole("listitem")).toHaveCount(5);
        await expect(page.getByLabel("User", { exact: true })).toBeFocused();
        expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
        expect(complaints).toEqual([]); // violations of the content security policy would be listed here
      });

      test("a wrong password is reported, and the user name stays", async ({ page }) => {
        await openSignIn(page);
        await signIn(page, "alice", "wrong");
        await expect(page.getByRole("alert")).toHaveText("User or password is wrong.");
        await expect(page.getByLabel("User", { exact: true })).toHaveValue("alice");
        await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
      });
    });
  }
}

test("after the right password the browser is redirected with a code", async ({ page }) => {
  const client = createServer((_, response) => response.end("back")).listen(0, "127.0.0.1");
  await once(client, "listening");
  try {
    await openSignIn(page, `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`);
    await signIn(page, "alice", "alice");
    await expect(page.getByText("back")).toBeVisible();
    const { pathname, searchParams } = new URL(page.url());
    expect([pathname, searchParams.get("state")]).toEqual(["/callback", "of-this-test"]);
    expect(searchParams.get("code")).toBeTruthy();
  } finally {
    client.close();
  }
});
