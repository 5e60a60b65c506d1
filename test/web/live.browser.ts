import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("a run in the web UI", () => {
  const web = webService();

  test("loses no decision when the page is loaded again in the middle, and stops when told to", async () => {
    const id = await web.service.start("slow");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/sessions/${id}`);
    await page.waitForURL(/\/live\//);
    await page.getByText("Step 3.", { exact: true }).first().waitFor();
    await page.reload();
    await page.getByText("Step 5.", { exact: true }).first().waitFor();
    const walker = page.locator(".step.side-a .seq");
    const seqs = (await walker.allInnerTexts()).map(Number);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));

    await page.getByRole("checkbox", { name: /Turn/ }).uncheck();
    expect(await page.locator(".lanes .kind-model_turn").count()).toBe(0);
    expect(await page.locator(".lanes .kind-tool_call").count()).toBeGreaterThan(3);

    // Who reads a step is not led away.
    await page.locator("details.decision").first().locator("summary").click();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Stop the run" }).click();
    await page.getByText("The run ended without a verdict").waitFor();
    await page.getByRole("link", { name: "See why" }).click();
    await page.getByRole("heading", { name: "This run was stopped" }).waitFor();
    expect((await web.service.session(id)).state).toBe("cancelled");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("opens its verdict when it has ended, and its timeline can still be read", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/live/${session_id}`);
    await page.waitForURL(/\/sessions\//);
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.getByText("Back to the session").waitFor();
    expect(await page.locator(".step").count()).toBe(10);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("leads to the verdict of a run that ended before its events were asked for", async () => {
    const session = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const running = { ...session, state: "running", finished_at: null, verdict: null };
    await page.route("**/api/sessions/session-*", (route) => route.fulfill({ json: running }), { times: 1 });
    const refused = page.waitForResponse((response) => response.url().endsWith("/stream") && response.status() === 404);
    await page.goto(`/live/${session.session_id}`);
    await refused;
    await page.waitForURL(/\/sessions\//);
    await page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("says how an arm ended while the other works, and takes no more of its time", async () => {
    const id = await web.service.start("limited");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/live/${id}`);
    const [brief, patient] = [page.locator(".lane-head").first(), page.locator(".lane-head").last()];
    await brief.locator(".state", { hasText: "limit reached (turns, 1)" }).waitFor();
    const left = await shownText(brief.locator(".budgets"));
    expect(left).toContain("0 of 1 left");
    const before = await shownText(patient.locator(".budgets"));
    await patient.locator(".budgets").filter({ hasNotText: before }).waitFor();
    expect(await shownText(brief.locator(".budgets"))).toBe(left);
    await fetch(`${web.service.url}/api/runs/${id}`, { method: "DELETE" });
    await page.getByText("The run ended without a verdict").waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("asks before it stops, and leaves the focus where the keyboard puts it while the clock runs", async () => {
    const id = await web.service.start("slow");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/live/${id}`);
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    await stop.press("Enter");
    const goOn = page.getByRole("button", { name: "Let it run" });
    await goOn.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Shift+Tab");
    const clock = page.locator(".elapsed");
    for (const _ of [1, 2]) await clock.filter({ hasNotText: await shownText(clock) }).waitFor();
    await page.getByRole("button", { name: "Stop the run" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await stop.and(page.locator(":focus")).waitFor();
    await fetch(`${web.service.url}/api/runs/${id}`, { method: "DELETE" });
    await page.getByText("The run ended without a verdict").waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("ends its stages where it failed", async () => {
    const id = await web.service.start("unprepared");
    await (await fetch(`${web.service.url}/api/runs/${id}/stream`)).text();
    await using reader = await web.visit();
    await reader.page.goto(`/live/${id}?stay`);
    const stages = reader.page.getByRole("list", { name: "Stages" }).getByRole("listitem");
    await stages.first().waitFor();
    expect(await stages.allTextContents()).toEqual(["queued", "preparing", "failed"]);
  }, 60_000);

  test("says that the server is gone, and shows the interrupted session when it is back", async () => {
    const id = await web.service.start("slow");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/live/${id}`);
    await page.getByText("Step 2.", { exact: true }).first().waitFor();
    await web.service.kill();
    await page.getByText("The server does not answer.").waitFor();
    expect(await page.locator(".step").count()).toBeGreaterThan(2);
    // The clock has stopped by the time at which the server is asked again.
    await page.waitForEvent("requestfailed");
    const elapsed = await shownText(page.locator(".elapsed"));
    for (const _ of [1, 2]) await page.waitForEvent("requestfailed");
    expect(await shownText(page.locator(".elapsed"))).toBe(elapsed);
    await web.service.revive();
    await page.getByText("The run ended without a verdict").waitFor();
    await page.getByRole("heading", { name: "This run was interrupted" }).waitFor();
    expect(await page.locator(".connection").count()).toBe(0);
  }, 60_000);
});
