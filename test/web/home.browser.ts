import { expect, test } from "bun:test";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("the first page of a new server", () => {
  const web = webService({ empty: true });

  test("says to who is new what an A/B is, opens a sample by keyboard, and later tells what came of it", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/");
    const sample = page.getByRole("button", { name: "Run a sample" });
    await sample.waitFor();
    const told = await shownText(page.locator("main"));
    for (const word of ["agent", "arm", "A/B", "verdict", "series"]) expect(told).toContain(word);
    expect(await inspect(page, "first-visit")).toEqual([]);
    await sample.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/live\//);
    const series_id = await web.service.runSeries({ scenarios: ["quick"], trials: 2 });
    await page.goto("/");
    const row = page.locator(".newest > li", { hasText: "quick" });
    await row.locator(".trial").first().waitFor();
    expect(await row.locator(".trial").allTextContents()).toEqual(["A", "A"]);
    expect((await shownText(row)).replaceAll(/\s+/g, " ")).toMatch(
      /^Not known yet: identical trials quick . A Arm A: short against B Arm B: long long: net -100 points, range -100 to \+\d+ 2 trials/,
    );
    await row.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/series/${series_id}`);
    expect(complaints).toEqual([]);
  }, 60_000);
});

describeNeeding(CHROMIUM)("the first page", () => {
  const web = webService();

  test("tells what all sessions of the day cost, also those that it does not list", async () => {
    const { session_row, session_summary } = EXAMPLES;
    let today = { ...session_summary, sessions: 2_001, cost_usd: 7.93, cost_unknown: 1 };
    const asked: string[] = [];
    await using reader = await web.visit();
    const { page } = reader;
    await page.route("**/api/sessions?*", (route) => route.fulfill({ json: [session_row] }));
    await page.route("**/api/session-summary?*", (route) => {
      asked.push(new URL(route.request().url()).searchParams.get("since") ?? "");
      return route.fulfill({ json: today });
    });
    await page.goto("/");
    await page.getByText("Today 2,001 sessions began. They cost at least $7.93. The cost of 1 is unknown.").waitFor();
    expect(asked[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/);
    today = { ...today, cost_usd: 0, cost_unknown: 0 };
    await page.reload();
    await page.getByText("Today 2,001 sessions began. They cost nothing.").waitFor();
  }, 60_000);

  test("shows a blind reader neither results nor contradictions", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/");
    const row = page.locator(".newest > li").filter({ has: page.locator(`a[href="/sessions/${session_id}"]`) });
    expect(await shownText(row)).toContain("won");
    await page.keyboard.press("b");
    await page.getByText("hidden (blind mode)").first().waitFor();
    expect(await shownText(page.locator(".newest").first())).not.toMatch(/won|preferred|Confidence|range|short|long/);
    expect(complaints).toEqual([]);
  }, 60_000);
});
