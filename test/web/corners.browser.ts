import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { BIG_LINES, HOSTILE } from "./scenarios.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("the web UI at its edges", () => {
  const web = webService();

  test("an empty list says what to do", async () => {
    await using reader = await web.visit();
    await reader.page.goto("/sessions?scenario=broken");
    await reader.page.getByText("No session is like that.").waitFor();
    expect(reader.complaints).toEqual([]);
  }, 60_000);

  test("an address of something that is not there says so", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/sessions");
    for (const [path, words] of [
      ["/nowhere/at/all", "There is no such page"],
      ["/sessions/session-x-20260101T000000000Z", "Not found"],
      ["/sessions/session-y-20260101T000000000Z/diff", "Not found"],
      ["/live/session-x-20260101T000000000Z", "Not found"],
      ["/scenarios/nonesuch", "Not found"],
      ["/doctor?scenario=nonesuch", "Not found"],
      ["/scenarios/%E0%A4%A", "Not found"],
      ["/compare?a=nonsense", "There is no such page"],
      ["/scenarios/broken", "Could not read the scenario broken"],
    ] as const) {
      // Inside the page, as a link does: the server refuses some of these addresses.
      await page.evaluate(`history.pushState(null, "", "${path}"); dispatchEvent(new PopStateEvent("popstate"))`);
      await page.getByText(words).first().waitFor();
    }
  }, 60_000);

  test("a verdict that a session does not hold says so", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    await reader.page.goto(`/sessions/${session_id}?verdict=nonesuch`);
    await reader.page.getByText("There is no such verdict").waitFor();
    expect(reader.complaints).toEqual([]);
  }, 60_000);

  test("what an arm wrote is text on every page: no element, no link, no script", async () => {
    const { session_id } = await web.service.run("hostile");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    for (const path of ["", "/diff", "/diff?view=a-b"]) {
      await page.goto(`/sessions/${session_id}${path}`);
      await page.getByText("onerror").first().waitFor();
      await expectHarmless(page);
    }
    await page.goto(`/live/${session_id}?stay`);
    await page.getByText("onerror").first().waitFor();
    await page.keyboard.press("e");
    await page.locator(".lanes pre", { hasText: HOSTILE }).first().waitFor();
    await expectHarmless(page);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("characters that reorder code are shown by their numbers, and prose runs in its own direction", async () => {
    const { session_id } = await web.service.run("turned");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/sessions/${session_id}/diff`);
    await page.locator(".turning").first().waitFor();
    expect(await page.locator(".turning").allTextContents()).toEqual(["U+202E", "U+2066", "U+2069", "U+2066"]);
    expect(await page.locator(".line-text").allTextContents()).toEqual([
      "const admin = false; /* U+202E } U+2066if (admin)U+2069 U+2066 begin */",
    ]);
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    // The first letter stands at the right end of the line.
    const left = `(() => { const range = document.createRange(); const text = document.querySelector(".answer .arm-text").firstChild;
      range.setStart(text, 0); range.setEnd(text, 1); const line = text.parentElement.getBoundingClientRect();
      return (range.getBoundingClientRect().left - line.left) / line.width; })()`;
    expect(await page.evaluate(left)).toBeGreaterThan(0.9);
  }, 60_000);

  test("a form that was refused says so, and is sent again by its own button", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/scenarios/quick?judge=nobody/knows-it");
    await page.getByRole("button", { name: "Run both arms" }).click();
    await page.getByText("This was refused").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.getByLabel("Judge model").fill("builtin/evidence");
    await page.getByRole("button", { name: "Run both arms" }).click();
    await page.waitForURL(/\/sessions\//);
    await page.getByRole("link", { name: "Run again" }).click();
    await page.getByRole("button", { name: "Run both arms" }).waitFor();
    expect(await page.getByLabel("Judge model").inputValue()).toBe("builtin/evidence");
  }, 60_000);

  test("what could not be read is seen to be read again", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    let asked = 0;
    await page.route("**/api/scenarios/quick", async (route) => {
      asked += 1;
      if (asked === 1)
        await route.fulfill({ status: 500, json: { error: { code: "internal", message: "It broke." } } });
    });
    await page.goto("/scenarios/quick");
    await page.getByText("It broke.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Reading the scenario quick").waitFor();
  }, 60_000);

  test("5,000 changed lines are drawn as they come into sight", async () => {
    const { session_id } = await web.service.run("big");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/sessions/${session_id}/diff`);
    await page.getByRole("button", { name: "many.ts" }).click();
    await page.locator(".line-text").nth(100).waitFor();
    expect(await page.locator(".line-text").count()).toBeLessThan(BIG_LINES / 5);
    await page.keyboard.press("End");
    await page.locator(".line-text", { hasText: `value${BIG_LINES - 1} ` }).waitFor();
    expect(await page.locator(".line-text").count()).toBeLessThan(BIG_LINES / 2);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("the theme follows the system until it is chosen, and is remembered", async () => {
    await using reader = await web.visit({ dark: true });
    const { page, complaints } = reader;
    const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    await page.goto("/doctor");
    const dark = await ground();
    await page.getByRole("button", { name: /^Theme/ }).click();
    const light = await ground();
    expect(light).toBe("rgb(255, 255, 255)");
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await ground()).toBe(light);
    await page.getByRole("button", { name: /^Theme/ }).click();
    await page.emulateMedia({ colorScheme: "light" });
    expect(await ground()).toBe(dark);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("the keyboard alone is enough for help, a run, its verdict, a weight, and the way back from a citation", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/scenarios");
    await page.getByRole("link", { name: "Run Say hello" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("/");
    await page.keyboard.type("quick");
    await tabTo(page, "Run Say hello");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/scenarios\/quick/);
    await page.getByRole("button", { name: "Run both arms" }).waitFor();
    await tabTo(page, "Run both arms");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sessions\//);
    await page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    await tabTo(page, "Weight of turns");
    await page.keyboard.press("Home");
    await page.getByText("The outcome flips.").waitFor();
    await tabTo(page, "Reset weights", "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByText("The outcome flips.").waitFor({ state: "hidden" });
    for (const key of ["g", "r"]) await page.keyboard.press(key);
    await page.waitForURL(/\/sessions$/);
    await page.locator(".session").first().waitFor();
    await page.keyboard.press("j");
    await page.locator(".session:focus").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);
});

async function expectHarmless(page: Page): Promise<void> {
  const found =
    "document.querySelectorAll('#app img, #app script, #app iframe, a[href*=evil], a[href^=javascript]').length";
  expect(await page.evaluate(found)).toBe(0);
  expect(await page.title()).not.toBe("owned");
}

/** Presses Tab until the element of this name has the focus. */
async function tabTo(page: Page, name: string, key = "Tab"): Promise<void> {
  const focused = `(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "")`;
  for (let presses = 0; presses < 60; presses += 1) {
    if (((await page.evaluate(focused)) as string).startsWith(name)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`no key leads to "${name}"`);
}
