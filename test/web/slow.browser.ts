import { expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { manySessions } from "./many-sessions.ts";
import { webService } from "./web-service.ts";

/** Holds back the server's answers at such an address until they are let go. */
async function held(page: Page, address: string | RegExp, method = "GET") {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route: Route) => {
    if (route.request().method() === method) await promise;
    await route.fallback();
  });
  return resolve;
}

/** When effects and timers of what is drawn now have run. */
const settled = (page: Page) =>
  page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))",
  );

/** Clicks the first such element in the moment in which it is drawn. */
const clickAtOnce = (page: Page, selector: string) =>
  page.addInitScript((wanted) => {
    const watch = new MutationObserver(() => {
      const found = document.querySelector<HTMLElement>(wanted);
      if (!found) return;
      watch.disconnect();
      found.click();
    });
    watch.observe(document, { childList: true, subtree: true });
  }, selector);

describeNeeding(CHROMIUM)("a reader who is faster than the page or its server", () => {
  const web = webService();

  test.each([
    ["a step", "details.decision", ".decision-detail", (id: string) => `/live/${id}?stay`],
    ["a long file", "details.file", ".line-text", (id: string) => `/sessions/${id}/diff`],
  ] as const)(
    "opens %s in the moment in which it is drawn, and reads it",
    async (_, fold, inside, path) => {
      const { session_id } = await web.service.run("big");
      await using reader = await web.visit();
      const { page, complaints } = reader;
      await clickAtOnce(page, `${fold} > summary`);
      await page.goto(path(session_id));
      await page.locator(fold).first().locator(inside).first().waitFor({ timeout: 15_000 });
      expect(complaints).toEqual([]);
    },
    60_000,
  );

  test("types what to look for and goes elsewhere, and is not brought back", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await manySessions(page, 3);
    await page.clock.install();
    await page.goto("/sessions?scenario=quick");
    await page.locator("tr.session").first().waitFor();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole("searchbox").fill("needle");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.clock.runFor(1_000);
    expect(new URL(page.url()).search).toBe("");
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    await page.getByRole("searchbox").fill("needle");
    await page.getByRole("link", { name: "Doctor" }).click();
    await page.clock.runFor(1_000);
    expect(new URL(page.url()).pathname).toBe("/doctor");
  }, 60_000);

  test("leaves a form that is being sent, and is not led away from where they went", async () => {
    const { session_id } = await web.service.run("quick");
    for (const [path, button, asked] of [
      ["/scenarios/quick", "Run both arms", "**/api/runs/async"],
      [`/compare?a=${session_id}/short&b=${session_id}/long`, "Judge", "**/api/verdicts"],
    ] as const) {
      await using reader = await web.visit();
      const { page, complaints } = reader;
      const answer = await held(page, asked, "POST");
      await page.goto(path);
      const sent = page.waitForRequest(asked);
      await page.getByRole("button", { name: button, exact: true }).click();
      await sent;
      await page.getByRole("link", { name: "Doctor" }).click();
      await page.getByRole("heading", { name: "Doctor" }).waitFor();
      const answered = page.waitForResponse(asked);
      answer();
      await (await answered).finished();
      await settled(page);
      expect(new URL(page.url()).pathname).toBe("/doctor");
      expect(complaints).toEqual([]);
    }
  }, 60_000);

  test("is not told that a judging was lost because it takes long on a server that is young", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page } = reader;
    await page.route("**/api/verdicts", () => undefined);
    await page.goto(`/compare?a=${session_id}/short&b=${session_id}/long`);
    await page.getByRole("button", { name: "Judge", exact: true }).click();
    await page.getByText("Both orders are being judged").waitFor();
    const asked = await page.evaluate<number>(
      "Object.values(JSON.parse(localStorage.getItem('abeval.judgings')))[0].asked_at",
    );
    // Started a moment before it was asked.
    await page.route("**/api/health", (route) => route.fulfill({ json: { uptime_ms: Date.now() - asked + 1_000 } }));
    await page.reload();
    await page.getByText("A judging of these two was asked for").waitFor();
    for (const _ of [1, 2]) await page.waitForResponse(`**/api/sessions/${session_id}`);
    await settled(page);
    expect(await page.getByText("was lost").count()).toBe(0);
    await page.getByText("A judging of these two was asked for").waitFor();
  }, 60_000);

  test("asks a series to go on that has ended again before the page reads of it, and can ask again", async () => {
    const id = await web.service.runSeries({ scenarios: ["quick"], trials: 1, stop_when_sure: false });
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.route("**/api/series", async (route) => {
      const response = await route.fetch();
      await (await fetch(`${web.service.url}/api/series/${id}/stream`)).text();
      await route.fulfill({ response });
    });
    await page.goto(`/series/${id}`);
    await page.getByLabel("Trials of each scenario, in all").fill("2");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("quick alone, in 2 trials.").waitFor();
    await page.getByRole("button", { name: "Continue" }).waitFor({ timeout: 10_000 });
    expect(complaints).toEqual([]);
  }, 60_000);

  test("has the focus on a session, and keeps it there when others come on top", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    let many = 3;
    await manySessions(page, () => many);
    await page.goto("/sessions");
    await page.locator("tr.session").nth(2).waitFor();
    await page.keyboard.press("j");
    await page.locator("tr.session:focus", { hasText: "000000003Z" }).waitFor();
    many = 4;
    await page.getByText("4 sessions").waitFor();
    await page.locator("tr.session:focus", { hasText: "000000003Z" }).waitFor({ timeout: 10_000 });
    expect(complaints).toEqual([]);
  }, 60_000);

  test("looks further down a list while it is read anew, and no older answer takes back the newer", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    let many = 300;
    await manySessions(page, () => many);
    await page.goto("/sessions");
    await page.getByText("300 sessions").waitFor();
    await page.locator("tr.session").first().waitFor();
    const refresh = page.waitForRequest(/\/api\/session-summary/);
    await page.route(/\/api\/session-summary/, () => undefined, { times: 1 });
    const older = await refresh;
    many = 305;
    const givenUp = page.waitForEvent("requestfailed", { predicate: (request) => request === older, timeout: 10_000 });
    await page.evaluate("scrollTo(0, 8000)");
    await page.getByText("305 sessions").waitFor();
    await givenUp;
    expect(complaints).toEqual([]);
  }, 60_000);

  test("comes back to a list that is read slowly, and is where they were", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await manySessions(page, 300);
    await page.clock.install();
    await page.goto("/sessions");
    await page.getByText("300 sessions").waitFor();
    await page.evaluate("scrollTo(0, 6100)");
    await page.locator('tr.session[aria-rowindex="120"]').waitFor();
    for (const key of ["g", "d"]) await page.keyboard.press(key);
    await page.getByText("Runs can work here").waitFor();
    const answer = await held(page, /\/api\/sessions\?/);
    await page.goBack();
    await page.getByText("Reading the sessions").waitFor();
    await page.clock.fastForward(10_000);
    answer();
    await page.getByText("300 sessions").waitFor();
    await page.waitForFunction(() => scrollY === 6_100, undefined, { timeout: 10_000 });
    expect(complaints).toEqual([]);
  }, 60_000);

  test("chooses in the palette before all was found, and what was chosen stays so", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const answer = await held(page, "**/api/scenarios");
    await page.goto("/series");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Action" }).first().waitFor();
    for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    const chosen = await page.locator('[role=option][aria-selected="true"]').textContent();
    answer();
    await page.getByRole("option", { name: "Scenario" }).first().waitFor();
    expect(await page.locator('[role=option][aria-selected="true"]').textContent()).toBe(chosen);
    expect(complaints).toEqual([]);
  }, 60_000);
});
