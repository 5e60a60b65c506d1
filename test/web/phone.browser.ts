import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { PHONE } from "./browser.ts";
import { JUDGE_NAME } from "./judge-name.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("on a phone", () => {
  const web = webService();
  let session_id: string;
  let series_id: string;
  beforeAll(async () => {
    const [session, series] = await Promise.all([
      web.service.run("extract-rate-limit", JUDGE_NAME),
      web.service.runSeries({ scenarios: ["hostile"], trials: 2 }),
    ]);
    session_id = session.session_id;
    series_id = series;
    for (const choice of ["a", "b"])
      await fetch(`${web.service.url}/api/sessions/${session_id}/votes`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ order: "ab", choice, blind: true, reason: "The smaller change.", voter: "Ada" }),
      });
  }, 60_000);

  test.each([
    { name: "a verdict", path: () => `/sessions/${session_id}`, ready: "Votes are no part of the verdict" },
    { name: "the judges", path: () => "/judges", ready: "self-test" },
    { name: "a series", path: () => `/series/${series_id}`, ready: "Plan and limits" },
    { name: "the sessions", path: () => "/sessions", ready: "Arms that mean harm" },
  ])(
    "$name: no table scrolls sideways, and no name is broken or cut",
    async ({ path, ready }) => {
      await using reader = await web.visit({ viewport: PHONE });
      const { page, complaints } = reader;
      await page.route("**/api/self-tests?*", (route) =>
        route.fulfill({
          json: [{ ...EXAMPLES.self_test_row, judge: { ...EXAMPLES.self_test_row.judge, model: JUDGE_NAME } }],
        }),
      );
      await page.goto(path());
      await page.getByText(ready).first().waitFor();
      expect(await brokenOn(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
    60_000,
  );

  test("the file of a series has no table that scrolls sideways", async () => {
    const report = await fetch(`${web.service.url}/api/series/${series_id}/report`);
    await using reader = await web.visit({ viewport: PHONE });
    const { page } = reader;
    await page.setContent(await report.text());
    await page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })");
    expect(await page.locator("tr").filter({ hasText: "session-hostile-" }).count()).toBe(2);
    expect(await brokenOn(page)).toEqual([]);
  }, 60_000);

  test("the file of a verdict gives what was said of a criterion the width of the page", async () => {
    const report = await fetch(`${web.service.url}/api/sessions/${session_id}/report`);
    await using reader = await web.visit({ viewport: PHONE });
    const { page } = reader;
    await page.setContent(await report.text());
    const said = await page.getByRole("rowheader", { name: /^restraint/ }).boundingBox();
    expect(said?.width).toBeGreaterThan(300);
    expect(await brokenOn(page)).toEqual([]);
  }, 60_000);
});

/** Tables that are wider than their place, and names that are on more than one line or cut. */
const brokenOn = (page: Page) =>
  page.evaluate(() => {
    const isWide = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth + 1;
    const tables = [...document.querySelectorAll(".scroller, .wide")].filter(isWide);
    const names = [...document.querySelectorAll("tbody :is(.arm-label, .judge-model, td > code)")].filter(
      (name) => name.getClientRects().length > 1 || isWide(name) || name.getBoundingClientRect().height > 30,
    );
    return [...tables, ...names].map(({ className, textContent }) => `${className}: ${textContent.slice(0, 80)}`);
  });
