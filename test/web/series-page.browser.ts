import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Series } from "../../src/domain/series.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { rowOf, rowsOf, SERIES_ID, seriesOf, times } from "../statistics/series.ts";
import { PHONE, shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { longTable, serveTable } from "./long-table.ts";
import { webService } from "./web-service.ts";

const ALONE = { stored: [], judge_unaudited: true };

/** The page gets this report from the server. */
async function tell(page: Page, series: Series): Promise<void> {
  await page.route(`**/api/series/${SERIES_ID}`, (route) => route.fulfill({ json: series }));
  await page.goto(`/series/${SERIES_ID}`);
  await page.getByText("Plan and limits").waitFor();
}

describeNeeding(CHROMIUM)("the page of a series", () => {
  const web = webService();

  test("draws the difference against the cost, in words too, also on a phone", async () => {
    const rows = rowsOf(times(40, "a")).map((row, index) => ({
      ...row,
      arms: { a: { ...row.arms.a, cost_usd: 0.5 + (index % 5) / 20 }, b: { ...row.arms.b, cost_usd: 1 } },
    }));
    const series = await reportOf(seriesOf({ state: "completed", stop: "exhausted", trials: 40 }), rows, ALONE);
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.setViewportSize(PHONE);
    await tell(page, series);
    const picture = page.getByRole("img", {
      name: /^candidate against baseline: \+100 points .* at 0\.60 times the cost/,
    });
    const box = await picture.boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= PHONE.width && box.height > 150).toBe(true);
    await page.getByText("shown: 40% cheaper").waitFor();
    expect(complaints).toEqual([]);
  });

  test("is reached from a scenario, shows every trial, and each trial leads there and back", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/scenarios/quick");
    await page.getByText("run it many times").click();
    await page.getByLabel("Stop when sure").uncheck();
    // By what ran here before: the tests of this block share a server, and come in any order.
    await page.getByText(/How long it takes is not known|It may take/).waitFor();
    await page.getByText("Chance that 30 trials show the better arm").waitFor();
    await page.getByLabel("Trials, at most").fill("2");
    await page.getByText("Chance that 2 trials show the better arm").waitFor();
    await page.getByRole("button", { name: "Run 2 times" }).click();
    await page.waitForURL(/\/series\/series-/);
    const { pathname } = new URL(page.url());
    await page.locator(".glance", { hasText: "2 of 2 planned" }).waitFor();
    await page.locator(".state-completed").waitFor();
    expect(await page.locator(".strip .trial").allTextContents()).toEqual(["A", "A"]);
    await page.locator(".notice-title", { hasText: "All trials of a scenario are alike" }).waitFor();
    expect(await page.locator(".caveats .caveat").allTextContents()).toEqual(["! identical trials"]);

    await page.locator(".strip .trial").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".strip-told", { hasText: "Trial 2 of quick: short won" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Trial 2 of series").waitFor();
    await page.locator(".overline").getByRole("link", { name: "series" }).click();
    await page.locator(".strip").waitFor();

    await page.goto("/series");
    const listed = page.locator(".session").filter({ has: page.locator(`a[href="${pathname}"]`) });
    await listed.getByText("2 of 2 trials count").waitFor();
    await listed.getByText("Not known yet: identical trials").waitFor();
    // The status beside them says the same.
    expect(await listed.locator(".caveat").allTextContents()).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("follows a series that runs, and stops it after a question that Escape answers with no", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/scenarios/slow");
    await page.getByText("run it many times").click();
    await page.getByRole("button", { name: "Run 30 times" }).click();
    await page.locator(".trial-running").first().waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByText("Stop the series and its trials?").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Stop the series and its trials?").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Stop the series" }).click();
    await page.locator(".state-cancelled").waitFor();
    await page.locator(".trial-missing").first().waitFor();
    await page.getByRole("heading", { level: 1, name: /no pair of trials counts$/ }).waitFor();
    await page.locator(".six-lines", { hasText: "Not known yet" }).waitFor();
    await page.getByRole("button", { name: "Continue" }).waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("says that the candidate is worse, and is accessible and fits with all it can show", async () => {
    const scenarios = ["first", "second"];
    const checks = (passed: boolean) => ({ checks: { visible: true, hidden: passed } });
    const withChecks = (row: TrialRow): TrialRow => {
      const { a, b } = row.arms;
      return { ...row, arms: { a: { ...a, ...checks(false) }, b: { ...b, ...checks(true) } } };
    };
    const rows = scenarios.flatMap((scenario, place) =>
      [...times(10, place === 0 ? "b" : "tie"), "failed" as const, "inconsistent" as const, "running" as const].map(
        (result, index) => withChecks(rowOf({ trial: index * 2 + place + 1, round: index + 1, scenario }, result)),
      ),
    );
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await tell(page, await reportOf(seriesOf({ scenarios }), rows, ALONE));
    const ofChecks = page.getByRole("region", { name: "How often each hidden check passed" });
    expect(await ofChecks.locator("tbody tr").count()).toBe(4);
    expect(await shownText(ofChecks.locator("tbody tr", { hasText: "hidden" }).first())).toMatch(
      /first hidden\s+0 of 11, range 0% to 26%\s+11 of 11, range 74% to 100%/,
    );
    const heading = page.getByRole("heading", { level: 1 });
    expect((await shownText(heading)).replaceAll(/\s+/g, " ")).toContain("candidate was preferred in 0 of ");
    await page.locator(".six-lines", { hasText: "Worse: the gate stays shut." }).waitFor();
    expect(await page.locator(".plot-claim.side-b").count()).toBe(1);
    const named = page.locator(".by-scenario tbody th");
    expect(await named.allTextContents()).toEqual(["first", "second"]);
    await page.getByRole("button", { name: "No winner" }).click();
    expect(await named.allTextContents()).toEqual(["second", "first"]);
    await page.setViewportSize(PHONE);
    await page.getByRole("button", { name: "Scenario", exact: true }).click();
    expect(await named.allTextContents()).toEqual(["first", "second"]);
    expect(await page.locator(".by-scenario .trial-missing").count()).toBe(2);
    await page
      .getByText(/^Of 2 scenarios .*candidate has won more trials in 0, .*baseline in 1; 1 is level\.$/)
      .waitFor();
    await page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })");
    expect(await inspect(page, "series-claimed")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("has the sums of its rows in its head, and says which trials do not count", async () => {
    const scenarios = ["first", "second"];
    const results = { first: times(9, "a"), second: times(8, "tie") };
    const rows = Object.entries(results).flatMap(([scenario, own], place) =>
      own.map((result, index) => rowOf({ trial: index * 2 + place + 1, round: index + 1, scenario }, result)),
    );
    await using reader = await web.visit();
    const { page } = reader;
    const ended = seriesOf({ scenarios, state: "cancelled", stop: "cancelled" });
    await tell(page, await reportOf(ended, rows, ALONE));
    await page.locator(".glance", { hasText: "8 – 8 – 0" }).waitFor();
    const cells = page.locator(".by-scenario tbody tr", { hasText: "first" }).locator("td.number");
    expect((await cells.allTextContents()).slice(0, 4)).toEqual(["8", "0", "0", "1"]);
    expect(await page.locator(".by-scenario .trial-a").count()).toBe(8);
    await page.getByText("in or behind an incomplete round: 1").waitFor();
  }, 60_000);

  test("has no arm's colour where no arm is preferred", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await tell(page, await reportOf(seriesOf({ state: "completed" }), rowsOf([...times(30, "tie"), "b"]), ALONE));
    await page.getByRole("heading", { level: 1, name: /net -\d+ points/ }).waitFor();
    await page.locator(".six-lines", { hasText: "Not worse by 30 points or more: the gate lets" }).waitFor();
    expect(await page.locator(".range").count()).toBe(1);
    expect(await page.locator(".range.side-a, .range.side-b").count()).toBe(0);
  }, 60_000);

  test("says what more trials would bring when nothing can be stated", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await tell(page, await reportOf(seriesOf(), rowsOf([...times(3, "b"), ...times(8, "a")]), ALONE));
    await page.getByRole("heading", { level: 1, name: /was preferred in 8 of 11 trials/ }).waitFor();
    await page.locator(".six-lines", { hasText: "Wait: 11 of 30 planned trials count so far." }).waitFor();
    expect(await shownText(page.locator("section", { hasText: "The plan has" }))).toContain("19 trials left");
    await page.getByText(/about \d+ more would be enough, for about \$/).waitFor();
  }, 60_000);

  test("reads with a hundred scenarios, and the page stays within the window", async () => {
    const scenarios = Array.from({ length: 100 }, (_, n) => `case-${n + 1}-of-a-suite-with-long-names`);
    const rows = scenarios.flatMap((scenario, place) =>
      (["a", "b", "tie", "a"] as const).map((result, round) =>
        rowOf({ trial: round * 100 + place + 1, round: round + 1, scenario }, result),
      ),
    );
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await tell(page, await reportOf(seriesOf({ scenarios, trials: 4 }), rows, ALONE));
    expect(await page.locator(".by-scenario tbody tr").count()).toBe(100);
    expect(await page.locator(".by-scenario .trial").count()).toBe(400);
    expect(await inspect(page, "series-hundred")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("has the rows of a table in pages, in groups, and only those in which something failed", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const series = await longTable(1_200);
    await serveTable(page, series);
    await page.goto(`/series/${SERIES_ID}`);
    await page.getByText("Of 1,200 rows").waitFor();
    const lines = page.locator(".member-table tbody tr");
    expect(await lines.first().locator("th").textContent()).toBe("row-5");
    expect(await lines.first().getByRole("link").getAttribute("href")).toBe(
      `/sessions/${series.trials[5]?.session_id}`,
    );
    expect(await lines.count()).toBeLessThan(100);
    const failed = page.getByRole("region", { name: "What failed, in how many rows" }).locator("tbody tr");
    expect(await failed.nth(1).locator("td").allTextContents()).toEqual([
      "170",
      "–",
      "–",
      "sums[row-0], sums[row-14], sums[row-21] and 167 more",
    ]);
    expect(await failed.nth(1).getByRole("link").first().getAttribute("href")).toBe(
      `/sessions/${series.trials[0]?.session_id}`,
    );
    await failed.nth(1).getByRole("link", { name: "and 167 more" }).click();
    await page.getByText("170 rows", { exact: true }).waitFor();
    await page.getByLabel("Show").selectOption("");

    await page.getByLabel("Group rows by").selectOption("language");
    expect(await lines.first().locator("th").textContent()).toBe("de");
    await page.getByLabel("Show").selectOption("no such command");
    await page.getByText("2 rows, grouped by language", { exact: true }).waitFor();
    expect(await inspect(page, "series-table")).toEqual([]);
    await lines.nth(1).focus();
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(await page.locator(":focus th").textContent()).toBe("row-7");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("shows its trials where two of its arms are compared, and marks those", async () => {
    const series_id = await web.service.runSeries({ scenarios: ["quick"], trials: 3 });
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/series/${series_id}`);
    await page.locator(".strip .trial").nth(2).waitFor();
    const ids = await page
      .locator(".strip .trial")
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute("href")));
    const [one, other] = ids.map((href) => href?.split("/").at(-1));
    await page.goto(`/compare?a=${one}/short&b=${other}/short`);
    await page.getByText("2 trials of a series").click();
    await page.locator(".strip .trial[aria-current]").nth(1).waitFor();
    expect(await page.locator(".strip .trial").count()).toBe(3);
    expect(await page.locator(".strip .trial[aria-current]").count()).toBe(2);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("is hidden in blind mode", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await tell(page, await reportOf(seriesOf(), rowsOf(times(8, "a")), ALONE));
    await page.keyboard.press("b");
    await page.getByText("Hidden in blind mode").waitFor();
    expect(await shownText(page.locator("main"))).not.toContain("candidate");
  }, 60_000);

  test("on paper has its heads and marks, no controls, and stays within the sheet", async () => {
    const scenarios = ["first", "second-with-quite-a-long-name"];
    const rows = scenarios.flatMap((scenario, place) =>
      times(30, place === 0 ? "a" : "tie").map((result, index) =>
        rowOf({ trial: index * 2 + place + 1, round: index + 1, scenario }, result),
      ),
    );
    // A4 less its margins.
    await using reader = await web.visit({ viewport: { width: 688, height: 1017 }, dark: true });
    const { page } = reader;
    await tell(page, await reportOf(seriesOf({ scenarios, state: "completed" }), rows, ALONE));
    await page.getByRole("heading", { name: "Continue" }).waitFor();
    await page.emulateMedia({ media: "print" });
    for (const shown of ["No winner", "Win rate of candidate"])
      expect(await page.getByRole("columnheader", { name: shown }).isVisible()).toBe(true);
    for (const hidden of [page.getByRole("heading", { name: "Continue" }), page.locator(".strip-told")])
      expect(await hidden.isVisible()).toBe(false);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(688);
    const printed = "getComputedStyle(document.querySelector('.range-span')).printColorAdjust";
    expect(await page.evaluate(printed)).toBe("exact");
  }, 60_000);
});
