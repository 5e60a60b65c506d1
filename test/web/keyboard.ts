import type { Page } from "playwright-core";

/** Numbers all that can be used, and gives how much that is. Of a row that arrow keys go through, one counts. */
const NUMBER = `(() => {
  const used = [...document.querySelectorAll("a[href], button, input, select, summary")].filter(
    (each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0,
  );
  used.forEach((each, index) => each.setAttribute("data-number", index));
  return used.length;
})()`;

/** The number of what has the focus, whether a reader sees that it has, and what a key that uses it changes. */
const FOCUSED = `(() => {
  const focused = document.activeElement;
  const { outlineStyle, boxShadow } = getComputedStyle(focused);
  const number = focused.getAttribute("data-number");
  const isFold = focused.localName === "summary";
  const state = isFold ? focused.parentElement.open : focused.type === "checkbox" ? focused.checked : null;
  return { number, isSeen: outlineStyle !== "none" || boxShadow !== "none", state, key: isFold ? "Enter" : "Space" };
})()`;

interface Focused {
  readonly number: string | null;
  readonly isSeen: boolean;
  /** Whether a fold is open, or a box is ticked; null of what leads elsewhere. */
  readonly state: boolean | null;
  readonly key: string;
}

/** What Tab does not reach, where nobody sees the focus, and folds and boxes that keys do not change. */
export async function faultsOfTab(page: Page): Promise<string[]> {
  const many = await page.evaluate<number>(NUMBER);
  const missed = new Set(Array.from({ length: many }, (_, index) => String(index)));
  const faults: string[] = [];
  for (let pressed = 0; pressed < many + SPARE_KEYS && missed.size > 0; pressed += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<Focused>(FOCUSED);
    if (focused.number !== null && missed.delete(focused.number)) faults.push(...(await faultsOfUse(page, focused)));
  }
  for (const number of missed) {
    const html = await page.locator(`[data-number="${number}"]`).evaluateAll((found) => found[0]?.outerHTML ?? "gone");
    if (html !== "gone") faults.push(`Tab does not reach ${html.slice(0, 200)}`);
  }
  return faults;
}

/** A fold or a box is left as it was. */
async function faultsOfUse(page: Page, { number, isSeen, state, key }: Focused): Promise<string[]> {
  const faults = isSeen ? [] : [`no focus is seen on ${number}`];
  if (state === null) return faults;
  await page.keyboard.press(key);
  const used = await page.evaluate<Focused>(FOCUSED);
  await page.keyboard.press(key);
  return used.state === state ? [...faults, `${key} does not change ${number}`] : faults;
}

/** Regions that scroll take the focus, too. */
const SPARE_KEYS = 40;
