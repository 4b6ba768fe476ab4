import { expect, type Page, test } from "@playwright/test";
import { grant, signInAs } from "./people.ts";

const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const userIdOn = async (page: Page) => (await page.getByRole("definition").first().textContent()) ?? "";
const lines = (page: Page) => page.getByRole("list").getByRole("listitem");

test("a grant appears on bob's page at once and only once, also after a reload; then it is marked as read", async ({ page }) => {
  await signInAs(page, "bob");
  await expect(page.getByRole("status")).toHaveText("live");
  const userId = await userIdOn(page);
  const before = await lines(page).count();
  const sku = `sword-${Date.now()}`;
  await grant(userId, sku);
  await expect(lines(page)).toHaveCount(before + 1, { timeout: 1000 });
  await expect(lines(page).first()).toContainText(`You were granted ${sku}.`);
  await page.reload();
  await expect(page.getByRole("status")).toHaveText("live");
  await expect(lines(page)).toHaveCount(before + 1);
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await expect(page.getByRole("button", { name: "Mark all as read" })).toBeHidden();
  await page.reload();
  await expect(page.getByRole("status")).toHaveText("live");
  await expect(page.getByRole("button", { name: "Mark all as read" })).toBeHidden();
});

for (const [name, viewport] of Object.entries(sizes)) {
  for (const colorScheme of ["light", "dark"] as const) {
    test.describe(`${name}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme });

      test("the start page fits with any notification text and has no policy violations", async ({ page }) => {
        const complaints: string[] = [];
        page.on("console", message => complaints.push(message.text()));
        await signInAs(page, "alice");
        complaints.length = 0; // before the sign-in /v1/me returns 401
        await grant(await userIdOn(page), `<b>long</b>${"x".repeat(150)}${Date.now()}`);
        await expect(lines(page).first()).toContainText("<b>long</b>xxx");
        expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
        expect(complaints).toEqual([]);
      });
    });
  }
}
