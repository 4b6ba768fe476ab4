import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { desk, phone } from "./console.ts";
import { variable } from "./stack.ts";

/** The brightness of the page background, from 0 to 255. */
const groundOf = `(() => {
  const shown = [document.body, document.documentElement].map(one => getComputedStyle(one).backgroundColor).find(colour => !/^rgba\\(.*, 0\\)$/.test(colour));
  const [red, green, blue] = (shown ?? (getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "rgb(18,18,18)" : "rgb(255,255,255)")).match(/\\d+/g).map(Number);
  return (red + green + blue) / 3;
})()`;

for (const system of ["ENTITLEMENT", "NOTIFICATION", "ACCOUNT", "GATEWAY"])
  test(`the description of ${system.toLowerCase()} follows the dark theme, fits a phone, marks required fields and loads nothing else`, async ({
    page,
  }) => {
    const loaded: string[] = [];
    page.on("request", request => loaded.push(request.url()));
    const address = `${variable(`${system}_URL`)}/openapi`;
    for (const [colorScheme, isBright] of [
      ["light", true],
      ["dark", false],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(address);
      expect((await page.evaluate<number>(groundOf)) > 128).toBe(isBright);
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)).toEqual([]);
      for (const viewport of [phone, desk]) {
        await page.setViewportSize(viewport);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      }
    }
    await expect(page.getByRole("row").filter({ hasText: "reason" }).filter({ hasText: "body" }).first()).toContainText("required");
    expect(loaded.filter(url => url !== address && !url.endsWith("/favicon.ico"))).toEqual([]);
  });
