import type { Page } from "playwright-core";

/**
 * Numbers all that can be used, also what came since, and gives how much that is. Of a row that arrow keys go through, one counts.
 * Presses are counted in place of what they would do, so that the page stays.
 */
const NUMBER = `(() => {
  const scope = document.querySelector("dialog:modal") ?? document;
  const used = [...scope.querySelectorAll("a[href], button, input, select, textarea, summary")].filter(
    (each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0 && (each.type !== "radio" || each.checked),
  );
  if (window.numbered === undefined) {
    Object.assign(window, { numbered: 0, presses: 0 });
    addEventListener("click", (event) => {
      if (!event.target.closest("a, button")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      window.presses += 1;
    }, true);
  }
  for (const each of used) each.dataset.number ??= window.numbered++;
  return window.numbered;
})()`;

/** What has the focus when the page is drawn, whether a reader sees that, and what keys change of it. */
const FOCUSED = `new Promise(requestAnimationFrame).then(() => {
  const focused = document.activeElement;
  const { outlineStyle, boxShadow } = getComputedStyle(focused);
  const kind = focused.localName === "input" ? focused.type : focused.localName;
  const state = { summary: focused.parentElement?.open, checkbox: focused.checked, a: window.presses, button: window.presses }[kind];
  const group = kind === "radio" ? [...document.getElementsByName(focused.name)] : [];
  return {
    number: (group[0] ?? focused).dataset.number ?? null,
    kind,
    isSeen: outlineStyle !== "none" || boxShadow !== "none",
    state: String(state ?? (group.length > 0 ? group.indexOf(focused) : focused.value)),
    isAlone: kind === "select" && focused.options.length < 2,
  };
})`;

interface Focused {
  readonly number: string | null;
  readonly kind: string;
  readonly isSeen: boolean;
  readonly state: string;
  /** There is nothing else to choose. */
  readonly isAlone: boolean;
}

/** Keys that use a kind, each with the one that undoes it. Each must work. */
const EACH: Readonly<Record<string, readonly Keys[]>> = {
  summary: [
    { key: "Enter", back: "Enter" },
    { key: "Space", back: "Space" },
  ],
  checkbox: [{ key: "Space", back: "Space" }],
  button: [{ key: "Enter" }, { key: "Space" }],
  a: [{ key: "Enter" }],
};

/** What has a last value goes only back from there. */
const ARROWS = [
  { key: "ArrowDown", back: "ArrowUp" },
  { key: "ArrowUp", back: "ArrowDown" },
] as const;
const BY_ARROWS = /^(select|radio|range|number)/;

interface Keys {
  readonly key: string;
  readonly back?: string;
}

/** What Tab does not reach, where nobody sees the focus, what keys do not use, and what loses the focus when they do. */
export async function faultsOfTab(page: Page): Promise<string[]> {
  let many = await page.evaluate<number>(NUMBER);
  const used = new Set<string>();
  const faults: string[] = [];
  for (let spare = SPARE_KEYS; spare > 0 && used.size < many; spare -= 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<Focused>(FOCUSED);
    if (focused.number === null || used.has(focused.number)) continue;
    spare += 1;
    used.add(focused.number);
    if (!focused.isSeen) faults.push(`no focus is seen on ${await htmlOf(page, focused.number)}`);
    faults.push(...(await faultsOfUse(page, focused)));
    many = await page.evaluate<number>(NUMBER);
  }
  for (let number = 0; number < many; number += 1) {
    const html = used.has(String(number)) ? "gone" : await htmlOf(page, String(number));
    if (html !== "gone") faults.push(`Tab does not reach ${html}`);
  }
  return faults;
}

/** Everything is left as it was. */
async function faultsOfUse(page: Page, focused: Focused): Promise<string[]> {
  const faults: string[] = [];
  const html = () => htmlOf(page, focused.number ?? "");
  const works = async ({ key, back }: Keys): Promise<boolean> => {
    await page.keyboard.press(key);
    const after = await page.evaluate<Focused>(FOCUSED);
    if (after.number !== focused.number) faults.push(`${key} takes the focus from ${focused.kind} ${focused.number}`);
    const before = focused.state;
    focused = after;
    if (back === undefined || after.state === before) return after.state !== before;
    await page.keyboard.press(back);
    focused = await page.evaluate<Focused>(FOCUSED);
    return true;
  };
  for (const keys of EACH[focused.kind] ?? [])
    if (!(await works(keys))) faults.push(`${keys.key} does not use ${await html()}`);
  if (BY_ARROWS.test(focused.kind) && !focused.isAlone && !(await works(ARROWS[0])) && !(await works(ARROWS[1])))
    faults.push(`arrow keys do not change ${await html()}`);
  return faults;
}

const htmlOf = (page: Page, number: string): Promise<string> =>
  page.locator(`[data-number="${number}"]`).evaluateAll((found) => found[0]?.outerHTML.slice(0, 200) ?? "gone");

/** Regions that scroll take the focus, too. */
const SPARE_KEYS = 40;
