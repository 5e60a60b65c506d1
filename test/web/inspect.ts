import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { ROOT } from "../abeval.ts";
import { PHONE, TABLET, WIDE } from "./browser.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** `examined`: checked by axe too, which is slow. These cover every layout and both themes. */
const VARIANTS = [
  { name: "wide-light", viewport: WIDE, colorScheme: "light", examined: true },
  { name: "wide-dark", viewport: WIDE, colorScheme: "dark", examined: false },
  { name: "tablet-light", viewport: TABLET, colorScheme: "light", examined: true },
  { name: "tablet-dark", viewport: TABLET, colorScheme: "dark", examined: false },
  { name: "phone-light", viewport: PHONE, colorScheme: "light", examined: false },
  { name: "phone-dark", viewport: PHONE, colorScheme: "dark", examined: true },
] as const;

/** Takes a picture of each variant for people, and returns every fault that is found. */
export async function inspect(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  await page.evaluate(AXE);
  for (const variant of VARIANTS) {
    await page.setViewportSize(variant.viewport);
    await page.emulateMedia({ colorScheme: variant.colorScheme });
    await page.screenshot({ path: join(ROOT, "test-results", `${name}-${variant.name}.png`), fullPage: true });
    const wide = (await page.evaluate("document.documentElement.scrollWidth")) as number;
    if (wide > variant.viewport.width) faults.push(`${variant.name}: the page is ${wide} px wide`);
    if (!variant.examined) continue;
    const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as AxeResults;
    for (const { id, nodes } of violations)
      faults.push(...nodes.map(({ html }) => `${variant.name}: ${id}: ${html.slice(0, 200)}`));
  }
  return faults;
}
