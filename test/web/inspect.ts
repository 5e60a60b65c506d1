import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { ROOT } from "../abeval.ts";
import { PHONE, TABLET, UPRIGHT, WIDE } from "./browser.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe looks for, which is slow. Of the other theme only colours can be wrong. */
const ALL = { resultTypes: ["violations"] };
const COLOURS = { ...ALL, runOnly: ["color-contrast"] };

const VARIANTS = [
  { name: "wide-light", viewport: WIDE, colorScheme: "light", axe: ALL },
  { name: "wide-dark", viewport: WIDE, colorScheme: "dark", axe: COLOURS },
  { name: "upright-light", viewport: UPRIGHT, colorScheme: "light", axe: ALL },
  { name: "tablet-dark", viewport: TABLET, colorScheme: "dark", axe: null },
  { name: "phone-light", viewport: PHONE, colorScheme: "light", axe: COLOURS },
  { name: "phone-dark", viewport: PHONE, colorScheme: "dark", axe: ALL },
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
    if (variant.axe === null) continue;
    const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(variant.axe)})`)) as AxeResults;
    for (const { id, nodes } of violations)
      faults.push(...nodes.map(({ html }) => `${variant.name}: ${id}: ${html.slice(0, 200)}`));
  }
  return faults;
}
