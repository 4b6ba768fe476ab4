import { expect, test } from "@playwright/test";
import { desk, openConsole, phone } from "./console.ts";
import { seed } from "./seed.ts";

test("a waiting row shows its next attempt in its own column; only a completed row shows a duration", async ({ page }) => {
  const user = `waiting-${Date.now()}`;
  const of = (version: number) => ({
    at: Date.now() - 90_000 + version,
    user,
    sku: `lamp-${version}`,
    version: 1,
    reason: "PURCHASE",
    purchase: "order-1",
    client: "shop",
    key: `${user}-${version}`,
  });
  await seed("chains", [
    { ...of(1), outbox: { status: "PENDING", attempts: 2, error: "no leader" } },
    { ...of(2), outbox: { status: "PUBLISHED", attempts: 0, took: 60 } },
  ]);
  try {
    await openConsole(page, "viewer", `outbox?user_id=${user}`);
    const table = page.getByRole("table");
    await expect(table.getByRole("row").filter({ hasText: "Retrying" })).toBeVisible();
    const names = await table.getByRole("columnheader").allTextContents();
    const cellOf = (state: string, name: string) =>
      table.getByRole("row").filter({ hasText: state }).getByRole("cell").nth(names.indexOf(name));
    await expect(cellOf("Retrying", "Next attempt")).toHaveText(/^in \d+ m$/);
    await expect(cellOf("Retrying", "Duration")).toHaveText("–");
    await expect(cellOf("Published", "Duration")).toHaveText("60 ms");
    await expect(cellOf("Published", "Next attempt")).toHaveText("–");
  } finally {
    await seed("forget", { users: [user] });
  }
});

test("pages have the same names on phone and desktop", async ({ page }) => {
  await page.setViewportSize(desk);
  await openConsole(page, "viewer");
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  // Without the badge after the name.
  const names = async (some: typeof links) => (await some.allInnerTexts()).map(text => text.trim().replace(/\s*\d.*$/s, ""));
  const atDesk = await names(links);
  await page.setViewportSize(phone);
  await expect(page.getByRole("button", { name: "More" })).toBeVisible();
  const inBar = await names(links);
  await page.getByRole("button", { name: "More" }).click();
  const behind = await names(page.getByRole("dialog").getByRole("link"));
  expect([...inBar, ...behind].toSorted()).toEqual(atDesk.toSorted());
});
