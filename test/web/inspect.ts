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

/** For people, who ask for them: `ABEVAL_PICTURES=1 bun run test:browser` leaves a picture of each variant in `test-results/`. */
const TAKES_PICTURES = process.env["ABEVAL_PICTURES"] === "1";

/** The page has heard of its new size or theme, and has drawn itself. */
const DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))";

/** Returns every fault that is found in any variant. */
export async function inspect(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  await page.evaluate(AXE);
  for (const variant of VARIANTS) {
    await page.setViewportSize(variant.viewport);
    await page.emulateMedia({ colorScheme: variant.colorScheme });
    await page.evaluate(DRAWN);
    const path = join(ROOT, "test-results", `${name}-${variant.name}.png`);
    if (TAKES_PICTURES) await page.screenshot({ path, fullPage: true });
    const wide = (await page.evaluate("document.documentElement.scrollWidth")) as number;
    if (wide > variant.viewport.width) faults.push(`${variant.name}: the page is ${wide} px wide`);
    if (variant.axe === null) continue;
    const found = await page.evaluate(
      `axe.run(document, ${JSON.stringify(variant.axe)}).then(({ violations }) => violations)`,
    );
    for (const { id, nodes } of found as AxeResults["violations"])
      faults.push(...nodes.map(({ html }) => `${variant.name}: ${id}: ${html.slice(0, 200)}`));
  }
  return faults;
}
