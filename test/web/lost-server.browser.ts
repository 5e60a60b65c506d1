import { expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { everyVerdict } from "../../src/domain/every-verdict.ts";
import type { SeriesListing } from "../../src/domain/series-listing.ts";
import type { SessionListing } from "../../src/domain/session-list.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("a form while the server goes away", () => {
  const web = webService();

  const listed = async <Row>(path: string): Promise<readonly Row[]> =>
    (await (await fetch(`${web.service.url}/api/${path}`)).json()) as Row[]; // the server's own answers
  /** But trials: the series of another test may go on. */
  const runsOf = async (scenario: string) =>
    (await listed<SessionListing>(`sessions?scenario=${scenario}`)).filter(({ trial }) => trial === undefined);
  const seriesOf = (scenario: string) => listed<SeriesListing>(`series?scenario=${scenario}`);

  /** The server dies when it has done what this path asks for, and nobody hears of it; or before it has heard of it. */
  const dies = (page: Page, path: string, when: "after" | "before") =>
    page.route(
      `**/api/${path}`,
      async (route) => {
        if (when === "after") await route.fetch();
        await web.service.kill();
        await route.abort();
      },
      { times: 1 },
    );

  const isBack = async (page: Page) => {
    await web.service.revive();
    await page.locator(".connection").waitFor({ state: "hidden" });
  };

  test("a run that could not be asked for is asked for again, with what was typed", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    const before = (await runsOf("quick")).length;
    await page.goto("/scenarios/quick");
    await page.getByLabel("Judge model").fill("builtin/evidence");
    await web.service.kill();
    await page.getByRole("button", { name: "Run both arms" }).click();
    await page.getByText("The server was not asked").waitFor();
    await isBack(page);
    expect(await page.getByLabel("Judge model").inputValue()).toBe("builtin/evidence");
    await page.getByRole("button", { name: "Run both arms" }).click();
    await page.waitForURL(/\/(live|sessions)\//);
    expect(await runsOf("quick")).toHaveLength(before + 1);
  }, 60_000);

  test("a run that began before the server went away is found, and not begun twice", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    const before = (await runsOf("slow")).length;
    await page.goto("/scenarios/slow");
    await page.getByLabel("Judge model").fill("builtin/evidence");
    await dies(page, "runs/async", "after");
    await page.getByRole("button", { name: "Run both arms" }).click();
    await page.getByText("The server went away while it was asked").waitFor();
    expect(await page.getByRole("button", { name: "Starting" }).isDisabled()).toBe(true);
    await isBack(page);
    await page.getByText("A run of this scenario began before the server went away").waitFor();
    expect(await page.getByLabel("Judge model").inputValue()).toBe("builtin/evidence");
    expect(await runsOf("slow")).toHaveLength(before + 1);
    await page.getByRole("link", { name: "See what became of it" }).click();
    await page.getByRole("heading", { name: "This run was interrupted" }).waitFor();
  }, 60_000);

  test("a run of which the server heard nothing is begun once", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    const before = (await runsOf("quick")).length;
    await page.goto("/scenarios/quick");
    await dies(page, "runs/async", "before");
    await page.getByRole("button", { name: "Run both arms" }).click();
    await page.getByText("The server went away while it was asked").waitFor();
    await isBack(page);
    await page.getByText("It was not done").waitFor();
    await page.getByRole("button", { name: "Run both arms" }).click();
    await page.waitForURL(/\/(live|sessions)\//);
    expect(await runsOf("quick")).toHaveLength(before + 1);
  }, 60_000);

  test("a series that began before the server went away is found, with what was typed, and goes on", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    const before = (await seriesOf("quick")).length;
    await page.goto("/scenarios/quick");
    await page.getByText("run it many times").click();
    await page.getByLabel("Trials, at most").fill("4");
    await page.getByLabel("Stop when sure").uncheck();
    await dies(page, "series", "after");
    await page.getByRole("button", { name: "Run 4 times" }).click();
    await page.getByText("The server went away while it was asked").waitFor();
    await isBack(page);
    await page.getByText("A series of this scenario began before the server went away").waitFor();
    expect(await page.getByLabel("Trials, at most").inputValue()).toBe("4");
    expect(await seriesOf("quick")).toHaveLength(before + 1);
    await page.getByRole("link", { name: "See what became of it" }).click();
    await page.waitForURL(/\/series\//);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("quick alone, in 4 trials.").waitFor();
    expect(await seriesOf("quick")).toHaveLength(before + 1);
  }, 60_000);

  test("a series that could not be asked for is asked for again", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/scenarios/quick");
    await page.getByText("run it many times").click();
    await page.getByLabel("Trials, at most").fill("2");
    await page.getByLabel("Stop when sure").uncheck();
    await web.service.kill();
    await page.getByRole("button", { name: "Run 2 times" }).click();
    await page.getByText("The server was not asked").waitFor();
    await isBack(page);
    expect(await page.getByLabel("Trials, at most").inputValue()).toBe("2");
    await page.getByRole("button", { name: "Run 2 times" }).click();
    await page.waitForURL(/\/series\//);
  }, 60_000);

  test("a series that goes on keeps how far, whenever the server goes away", async () => {
    const id = await web.service.runSeries({ scenarios: ["quick"], trials: 2, stop_when_sure: false });
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/series/${id}`);
    const trials = page.getByLabel("Trials of each scenario, in all");
    await trials.fill("4");
    await web.service.kill();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The server was not asked").waitFor();
    await isBack(page);
    expect(await trials.inputValue()).toBe("4");
    await dies(page, "series", "after");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The server went away while it was asked").waitFor();
    await isBack(page);
    await page.getByText("The series continued before the server went away").waitFor();
    expect(await trials.inputValue()).toBe("4");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("quick alone, in 4 trials.").waitFor();
  }, 60_000);

  test("a judging that the server took with it is said to be lost, and asked for again with the same judge", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/compare?a=${session_id}/short&b=${session_id}/long`);
    await page.getByLabel("Judge model").fill("builtin/evidence");
    await dies(page, "verdicts", "before");
    await page.getByRole("button", { name: "Judge", exact: true }).click();
    await page.getByText("A judging of these two was asked for").waitFor();
    await isBack(page);
    await page.getByText("The judging of these two was lost").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Judge them anew" }).click();
    expect(await page.getByLabel("Judge model").inputValue()).toBe("builtin/evidence");
    await page.getByRole("button", { name: "Judge", exact: true }).click();
    await page.getByRole("heading", { name: "Every verdict on these two runs" }).waitFor();
    expect(everyVerdict(await web.service.session(session_id))).toHaveLength(2);
  }, 60_000);

  test("a judging that was stored before the server went away is found", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/compare?a=${session_id}/short&b=${session_id}/long`);
    await dies(page, "verdicts", "after");
    await page.getByRole("button", { name: "Judge", exact: true }).click();
    await page.getByText("A judging of these two was asked for").waitFor();
    await isBack(page);
    await page.getByRole("region", { name: "Verdicts" }).locator("tbody tr").nth(1).waitFor();
    expect(everyVerdict(await web.service.session(session_id))).toHaveLength(2);
  }, 60_000);

  test("a self-test whose start was not heard of is found, and not begun twice", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    const before = (await listed("self-tests")).length;
    await page.goto("/judges?scenario=quick");
    await page.getByLabel("Judge model").fill("builtin/evidence");
    await page.waitForFunction(() => document.querySelector(".loading") === null);
    const unheard = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    await page.route("**/api/self-tests", unheard, { times: 1 });
    await page.getByRole("button", { name: "Test this judge" }).click();
    await page.getByText("A self-test on this scenario began before the server went away").waitFor();
    expect(await page.getByLabel("Judge model").inputValue()).toBe("builtin/evidence");
    expect(await listed("self-tests")).toHaveLength(before + 1);
    await page.getByRole("link", { name: "See what became of it" }).click();
    await page.waitForURL(/\/judges\/self-test-quick-/);
  }, 60_000);

  test("a self-test that the server knows nothing of is said to be lost, and begun once when it is sent again", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    const before = (await listed("self-tests")).length;
    await page.goto("/judges?scenario=quick");
    await page.waitForFunction(() => document.querySelector(".loading") === null);
    await dies(page, "self-tests", "before");
    await page.getByRole("button", { name: "Test this judge" }).click();
    await page.getByText("The server went away while it was asked").waitFor();
    await isBack(page);
    await page.getByText("is lost with its server").waitFor();
    await page.getByRole("button", { name: "Test this judge" }).click();
    await page.waitForURL(/\/judges\/self-test-quick-/);
    expect(await listed("self-tests")).toHaveLength(before + 1);
  }, 60_000);

  test("a vote that was taken before the server went away counts once", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/sessions/${session_id}#people`);
    await dies(page, "sessions/*/votes", "after");
    await page.locator("#people").getByText("Say why").click();
    await page.getByLabel("Why", { exact: true }).fill("Said once.");
    await page.getByRole("button", { name: "Neither" }).click();
    await page.getByText("The server went away while it was asked").waitFor();
    await isBack(page);
    await page.getByText("You preferred neither").waitFor();
    expect((await web.service.session(session_id)).votes).toMatchObject([{ choice: "tie", reason: "Said once." }]);
  }, 60_000);
});
