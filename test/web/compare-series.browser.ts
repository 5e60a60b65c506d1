import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { results } from "../statistics/series.ts";
import { PHONE, shownText, WIDE } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { faultsOfTab } from "./keyboard.ts";
import { FIRST, openBoth, SECOND, type Told } from "./two-series.ts";
import { webService } from "./web-service.ts";

const ONE: Told = { id: FIRST, state: "completed", stop: "exhausted", results: results("++-+=+-+-+=+") };
const OTHER: Told = {
  ...{ id: SECOND, state: "completed", stop: "sure", results: results("++++++++++=+"), stop_when_sure: true },
  ...{ judge_model: "K", definition: "changed", prompt: "Fix the bug.\nSay why." },
};

const pickOf = (page: Page, series_id: string): Locator =>
  page.locator(".session", { hasText: series_id }).getByRole("checkbox");

/** Steps down the list to the row of the series, and picks it. */
async function pickByKeys(page: Page, series_id: string): Promise<void> {
  const row = page.locator(".session", { hasText: series_id });
  while (!(await row.evaluate((element) => element === document.activeElement))) await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.waitForURL((url) => url.search.includes(series_id));
}

describeNeeding(CHROMIUM)("two series that are compared", () => {
  const web = webService();

  test.each([
    ["a wide window", WIDE],
    ["a phone", PHONE],
  ] as const)(
    "are picked in the list by keyboard alone on %s, and the way back finds them picked",
    async (_, viewport) => {
      const older = await web.service.runSeries({ scenarios: ["quick"], trials: 2 });
      const newer = await web.service.runSeries({ scenarios: ["quick"], trials: 2 });
      await using reader = await web.visit({ viewport });
      const { page, complaints } = reader;
      await page.goto("/series");
      await page.locator(".session", { hasText: older }).waitFor();
      await pickByKeys(page, newer);
      await page.getByText("Pick one more series.").waitFor();
      await pickByKeys(page, older);
      await page.getByRole("link", { name: "Compare these two" }).waitFor();
      await page.keyboard.press("c");
      await page.waitForURL(`**/series/compare?a=${newer}&b=${older}`);
      await page.getByText("Both run the same comparison").waitFor();
      await page.getByText("The trials of a scenario are copies of each other").waitFor();
      await page.getByText("The same in both: Arm A, Arm B").waitFor();

      await page.goBack();
      await page.getByRole("link", { name: "Compare these two" }).waitFor();
      for (const id of [newer, older]) expect(await pickOf(page, id).isChecked()).toBe(true);
      await page.goForward();
      await page.getByText("Both run the same comparison").waitFor();
      await page.reload();
      await page.getByRole("heading", { name: "Before you trust either" }).waitFor();
      expect(complaints).toEqual([]);
    },
    60_000,
  );

  test("are found from the page of one, and the list says which have other arms or scenarios", async () => {
    const judged = await web.service.runSeries({ scenarios: ["quick"], trials: 1 });
    const other = await web.service.runSeries({ scenarios: ["turned"], trials: 1 });
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/series/${judged}`);
    await page.getByRole("link", { name: "Compare with …" }).click();
    await page.waitForURL(`**/series?scenario=quick&a=${judged}`);
    expect(await pickOf(page, judged).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Show every scenario" }).click();
    const row = page.locator(".session", { hasText: other });
    await row.getByText("other arms, other scenarios").waitFor();
    await row.getByRole("checkbox").check();
    await page.getByRole("link", { name: "Compare these two" }).click();
    await page.getByText("These series cannot be compared, only read side by side").waitFor();
    const shown = await shownText(page.locator("main"));
    expect(shown).toContain("They compare other arms: short and long, and turner and idler.");
    expect(shown).toContain("They have no scenario in common.");
    expect(shown).toContain("No difference is given.");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("show what differs, both win rates with the range of their difference, and both lines of evidence", async () => {
    await using reader = await web.visit({ viewport: WIDE });
    const { page, complaints } = reader;
    await openBoth(page, ONE, OTHER);
    const shown = await shownText(page.locator("main"));
    expect(shown).toContain("These are two experiments, not one");
    expect(shown).toContain("What differs and may matter: Judge, Judge's prompt, Definition of S.");
    expect(shown).toMatch(/\+29 points, range −\d+ to \+\d+/);
    expect(shown).toContain("The range includes 0: chance alone could make this difference.");
    expect(shown).toContain("Claim\tnone\tfor candidate, at trial 9");
    expect(await page.locator(".both-rate .range-rate").count()).toBe(3);
    expect(await page.locator(".plot polyline").count()).toBe(2);
    await page.locator(".file", { hasText: "arm candidate" }).getByText("Say why.").waitFor();
    expect(await inspect(page, "compare-series")).toEqual([]);
    expect(await faultsOfTab(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("of several scenarios show each, and whose definition is read stands in the address", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const suite = ["due-date", "receipt"];
    await openBoth(page, { ...ONE, scenarios: [...suite, "csv-line"] }, { ...OTHER, scenarios: suite });
    const shown = await shownText(page.locator("main"));
    expect(shown).toContain("They have 2 scenarios in common, of 3 and 2.");
    expect(await page.locator(".both-scenarios tbody tr").count()).toBe(3);
    await page.getByText("The definition of due-date, line by line").waitFor();
    await page.getByRole("navigation", { name: "Definition of" }).getByRole("link", { name: "receipt" }).click();
    await page.getByText("The definition of receipt, line by line").waitFor();
    await page.waitForURL((url) => url.search.endsWith("&scenario=receipt"));
    await page.goBack();
    await page.getByText("The definition of due-date, line by line").waitFor();
    expect(await inspect(page, "compare-suites")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("are shared by their address", async () => {
    await using reader = await web.visit();
    const { page, context, complaints } = reader;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openBoth(page, ONE, OTHER);
    await page.getByText("Share", { exact: true }).click();
    await page.getByRole("button", { name: "Copy the address" }).click();
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(page.url());
    expect(complaints).toEqual([]);
  }, 60_000);

  test("are hidden in blind mode", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await openBoth(page, ONE, OTHER);
    await page.keyboard.press("b");
    await page.getByText("Hidden in blind mode").waitFor();
    expect(await shownText(page.locator("main"))).not.toContain("candidate");
  }, 60_000);
});
