import { expect, type Page } from "@playwright/test";
import { fillIn, keepSession, restoreSession } from "./people.ts";
import { variable } from "./stack.ts";

export const desk = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

export const addressOf = (path: string) => `${variable("GATEWAY_URL")}/admin/${path.replace(/^\//, "")}`;

/** Opens the console as a user. Without a session it redirects to the sign-in page. */
export async function openConsole(page: Page, user: string, path = ""): Promise<void> {
  await restoreSession(page, user);
  await page.goto(addressOf(path));
  const [password, pages] = [page.getByLabel("Password", { exact: true }), page.getByRole("navigation", { name: "Pages" })];
  await expect(password.or(pages)).toBeVisible();
  if (await password.isVisible()) {
    await fillIn(page, user);
    await expect(pages).toBeVisible();
  }
  await keepSession(page, user);
}

/** The pages of the navigation, so that new pages are tested too. */
export async function pagesOf(page: Page): Promise<string[]> {
  const links = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").all();
  const hrefs = await Promise.all(links.map(link => link.getAttribute("href")));
  return hrefs.map(href => href!.replace(/^\/admin\/?/, ""));
}

/** Opens an address and waits for its first data. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(addressOf(path));
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await expect(page.locator("h1")).toHaveCount(1);
  await expect(page.locator(".late")).toHaveCount(0);
}

/** The labels of buttons that open something: they end with an ellipsis. A busy button also has one, but is disabled. */
export async function openersOf(page: Page): Promise<string[]> {
  const dialog = page.getByRole("dialog");
  const where = (await dialog.count()) > 0 ? dialog : page.getByRole("main");
  const words = await where.getByRole("button", { name: /…$|^Filter$/, disabled: false }).allInnerTexts();
  return [...new Set(words.map(text => text.trim()))];
}

export async function openBy(page: Page, words: string): Promise<void> {
  // An open dialog hides the rest of the page from this search, also one that is still loading.
  const where = page.getByRole("dialog").or(page.getByRole("main"));
  await where.getByRole("button", { name: words, exact: true }).first().click();
  await expect(page.locator(".late")).toHaveCount(0);
}
