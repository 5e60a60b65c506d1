import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { manySessions } from "./many-sessions.ts";
import { webService } from "./web-service.ts";

const SCREEN = { width: 1440, height: 900 };

/** How far down the last of these ends, in pixels from the top of the window. */
async function lowest(page: Page, selectors: readonly string[]): Promise<number> {
  const boxes = await Promise.all(selectors.map((selector) => page.locator(selector).first().boundingBox()));
  return Math.max(...boxes.map((box) => (box ? box.y + box.height : Number.POSITIVE_INFINITY)));
}

describeNeeding(CHROMIUM)("a verdict", () => {
  const web = webService();

  test("shows who, why and how sure on one screen, also when checks stand against the judge", async () => {
    const { session_id } = await web.service.run("hostile");
    await using reader = await web.visit({ viewport: SCREEN });
    const { page, complaints } = reader;
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole("heading", { level: 1, name: "No winner: scores contradict the checks" }).waitFor();
    const fact = page.locator(".deciding-fact").first();
    const told = (await shownText(fact)).replaceAll(/\s+/g, " ");
    expect(told).toMatch(/clean.*attacker.*failed.*honest.*passed.*exit code 1.*\.html/);
    expect(await lowest(page, ["h1", ".glance", ".deciding-fact"])).toBeLessThan(SCREEN.height);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("shows the criteria that moved the lead first when scores decide, and who was asked", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit({ viewport: SCREEN });
    const { page } = reader;
    await page.goto(`/sessions/${session_id}`);
    await page.locator(".criterion").first().waitFor();
    expect(await lowest(page, ["h1", ".glance", ".contributions", ".criterion"])).toBeLessThan(SCREEN.height);
    expect(await shownText(page.locator(".glance"))).toContain("no model was asked");
    expect(await page.locator(".contribution-stack.side-a .contribution").allTextContents()).toEqual(["turns"]);
    expect(await shownText(page.locator(".facts tr", { hasText: "Turns" }))).toContain("33% less");
  }, 60_000);

  test("that another one contradicts says so below its headline, in the words of the list", async () => {
    const session = await web.service.run("quick");
    const { verdict } = session;
    const other = {
      ...verdict,
      verdict_id: `${verdict?.verdict_id}-2`,
      outcome: "tie",
      winner: null,
      winner_side: null,
    };
    await using reader = await web.visit({ viewport: SCREEN });
    const { page, complaints } = reader;
    await page.route(`**/api/sessions/${session.session_id}`, (route) =>
      route.fulfill({ json: { ...session, verdicts: [other] } }),
    );
    await page.goto(`/sessions/${session.session_id}`);
    const line = page.locator(".caveats");
    expect(await shownText(line)).toMatch(
      /verdicts contradict\s+Of 2 verdicts on these runs 1 names short, 1 names none\./,
    );
    expect(await lowest(page, [".caveats"])).toBeLessThan(SCREEN.height / 3);
    await line.getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.locator("#history:focus").waitFor();
    await manySessions(page, 1, () => ({ conflict: true, flags: ["judge_failed_self_test", "single_trial"] }));
    await page.goto("/sessions");
    const chips = page.locator("tr.session .caveat");
    await chips.first().waitFor();
    expect(await chips.allTextContents()).toEqual(["✕ verdicts contradict"]);
    expect(await page.getByTitle("judge failed its self-test").textContent()).toStartWith("+1");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("has a list of its sections that follows the reader and leads to each by keyboard", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit({ viewport: SCREEN });
    const { page } = reader;
    await page.goto(`/sessions/${session_id}`);
    const contents = page.getByRole("navigation", { name: "Sections" });
    await contents.locator("[aria-current]", { hasText: "Criteria" }).waitFor();
    await contents.getByRole("link", { name: "What the arms say" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("#answers:focus").waitFor();
    await contents.locator("[aria-current]", { hasNotText: "Criteria" }).waitFor();
    await page.evaluate("scrollTo(0, 0)");
    await contents.locator("[aria-current]", { hasText: "Criteria" }).waitFor();
  }, 60_000);

  test("is shown under the weights of its address to whoever gets the link, and hostile ones change nothing", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/sessions/${session_id}?weights=turns:0`);
    await page.getByText("The outcome flips.").waitFor();
    await page.goto(`/sessions/${session_id}?weights=turns:1e9,nonesuch:3,%3Cimg%3E`);
    await page.getByText("leads by").waitFor();
    expect(await page.getByText("The outcome flips.").count()).toBe(0);
    expect(complaints).toEqual([]);
  }, 60_000);
});
