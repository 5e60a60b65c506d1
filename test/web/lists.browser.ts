import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { until } from "../turns.ts";
import { PHONE } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { manySessions } from "./many-sessions.ts";
import { webService } from "./web-service.ts";

async function scrolledTo(page: Page, top: unknown): Promise<void> {
  while ((await page.evaluate("scrollY")) !== top) await page.evaluate("new Promise(requestAnimationFrame)");
}

const rowsOf = (page: Page): Locator => page.locator("tr.session");

describeNeeding(CHROMIUM)("the list of sessions", () => {
  const web = webService();

  test("asks the server for what is looked for, and the address keeps it", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const asked = await manySessions(page, 1_028);
    await page.goto("/sessions");
    await rowsOf(page).first().waitFor();
    await page.getByRole("searchbox").fill("needle  in");
    await page.getByLabel("Scenario").selectOption("quick");
    await page.getByRole("button", { name: "Cost" }).click();
    await page.waitForURL("**/sessions?scenario=quick&text=needle+in&sort=cost&order=desc");
    await page.getByRole("button", { name: "Cost" }).click();
    await page.waitForURL(/order=asc/);
    await page.locator('th[aria-sort="ascending"]').waitFor();
    expect(asked.at(-1)).toMatchObject({ scenario: "quick", text: "needle in", sort: "cost", order: "asc" });
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForURL(/\/sessions$/);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("shows who asked as text, and finds what one of them asked for", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const names = ["<img src=x onerror=alert(1)>", "ann"];
    const asked = await manySessions(page, 2, (index) => ({ user: names[index] ?? "" }));
    await page.goto("/sessions");
    await rowsOf(page).first().waitFor();
    expect(await page.locator(".session-created bdi").allTextContents()).toEqual(names.map((name) => ` ${name}`));
    await page.getByLabel("User").selectOption("ann");
    await page.waitForURL("**/sessions?user=ann");
    await until(() => asked.at(-1)?.["user"] === "ann");

    const session = await web.service.run("quick");
    const path = `/sessions/${session.session_id}`;
    await page.route(`**/api${path}`, (route) => route.fulfill({ json: { ...session, user: names[0] } }));
    await page.goto(path);
    await page.locator(".overline", { hasText: `asked by ${names[0]}` }).waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("turns its order with each click, also while the server has not answered the one before", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await manySessions(page, 3);
    await page.goto("/sessions");
    await rowsOf(page).first().waitFor();
    const answered = Promise.withResolvers<void>();
    await page.route(/\/api\/sessions\?.*sort=cost/, async (route) => {
      await answered.promise;
      await route.fallback();
    });
    await page.getByRole("button", { name: "Cost" }).click();
    await page.waitForURL(/order=desc/);
    await page.getByRole("button", { name: "Cost" }).click();
    await page.waitForURL(/order=asc/, { timeout: 10_000 });
    answered.resolve();
    await page.locator('th[aria-sort="ascending"]').waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("is neither chosen nor put in order by who won while a reader is blind", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const arm = { model: "scripted/x", status: "finished" } as const;
    const arms = [
      { ...arm, arm_id: "short", score: 1, checks: { passed: 2, total: 2 } },
      { ...arm, arm_id: "long", score: 0, checks: { passed: 1, total: 2 } },
    ];
    const asked = await manySessions(page, 3, () => ({ arms }));
    await page.goto("/sessions?scenario=quick&outcome=winner&sort=gap&order=asc");
    await page.locator('th[aria-sort="ascending"]').waitFor();
    const figures = page.locator("tr.session .side-figure");
    expect((await figures.allTextContents()).slice(0, 4)).toEqual(["A 1.00", "B 0.00", "A 2/2", "B 1/2"]);
    expect(asked.at(-1)).toMatchObject({ outcome: "winner", sort: "gap" });
    await page.getByRole("button", { name: "Blind" }).click();
    await page.locator("th", { hasText: "Created" }).and(page.locator("[aria-sort]")).waitFor();
    await rowsOf(page).first().waitFor();
    expect(asked.at(-1)).toEqual({ scenario: "quick", blind: "yes", limit: "100", offset: "0" });
    expect(await figures.count()).toBe(0);
    const orders = await page.locator("th button").allTextContents();
    expect(orders.map((text) => text.replace(/\W/g, ""))).toEqual(["Created", "Scenario", "Turns", "Cost", "Time"]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("names the winner and both arms whole on a phone", async () => {
    await using reader = await web.visit({ viewport: PHONE });
    const { page, complaints } = reader;
    const trial = { series_id: "series-20260101T000000000Z-00000000", trial: 19, round: 7 };
    await manySessions(page, 1, () => ({
      outcome: "winner",
      winner: "short",
      confidence: "high",
      flags: ["single_trial"],
      trial,
    }));
    await page.goto("/sessions");
    await rowsOf(page).first().waitFor();
    const names = page.locator("tr.session .arm-label");
    expect(await names.allTextContents()).toEqual(["short", "long"]);
    const cut = await names.evaluateAll(
      (all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
    );
    expect(cut).toBe(0);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("names what else stands against a result, and leads there by keyboard", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit({ viewport: PHONE });
    const { page, complaints } = reader;
    await manySessions(page, 1, () => ({ ...{ session_id, outcome: "tie" }, flags: ["equal_work", "fragile"] }));
    await page.goto("/sessions");
    const others = page.getByRole("link", { name: "+1 more: identical work" });
    expect((await others.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await others.press("Enter");
    await page.waitForURL(`**/sessions/${session_id}`);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("finds no result by what a blind reader types, there or in the palette", async () => {
    await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/sessions?text=winner");
    await rowsOf(page).first().waitFor();
    await page.getByRole("button", { name: "Blind" }).click();
    await page.getByText("No session is like that.").waitFor();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.fill("winner");
    await page.getByText("Nothing is like that.").waitFor();
    await field.fill("quick");
    await page.getByRole("option").filter({ hasText: "Session" }).first().waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("of 10,000 sessions draws those in sight, and reads no others", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const asked = await manySessions(page, 10_000);
    await page.goto("/sessions");
    await page.getByText("10,000 sessions").waitFor();
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.locator('tr.session[aria-rowindex="10001"]').waitFor();
    expect(await rowsOf(page).count()).toBeLessThan(80);
    expect(Math.max(...asked.map(({ offset }) => Number(offset)))).toBe(9_900);
    expect(new Set(asked.map(({ offset }) => offset)).size).toBeLessThan(6);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("is as it was when a reader comes back: filter, order, and place", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await manySessions(page, 300, (index) => (index === 200 ? { session_id } : {}));
    await page.goto("/sessions?text=quick&sort=cost");
    await page.getByText("300 sessions").waitFor();
    await page.evaluate("scrollTo(0, 10300)");
    const row = page.locator("tr.session", { hasText: session_id });
    await row.waitFor();
    const top = await page.evaluate("scrollY");
    await row.getByRole("link").first().click();
    await page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.goBack();
    await row.waitFor();
    await scrolledTo(page, top);
    expect(await page.getByRole("searchbox").inputValue()).toBe("quick");
    await page.reload();
    await row.waitFor();
    await scrolledTo(page, top);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("shows how a run that goes on has ended, and new sessions on top", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    let state: "running" | "completed" = "running";
    await manySessions(
      page,
      () => (state === "running" ? 1 : 2),
      () => ({ state, outcome: state === "running" ? null : "tie" }),
    );
    await page.goto("/sessions");
    await page.locator(".state-running").waitFor();
    state = "completed";
    await page.getByText("2 sessions").waitFor();
    await rowsOf(page).nth(1).getByText("tie").waitFor();
  }, 60_000);

  test("what a reader looks at stays in its place when sessions come on top", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    let many = 300;
    await manySessions(page, () => many);
    await page.goto("/sessions");
    await page.getByText("300 sessions").waitFor();
    await page.evaluate("scrollTo(0, 6100)");
    await page.locator('tr.session[aria-rowindex="120"]').waitFor();
    const place = () =>
      page.evaluate(`(() => { const row = [...document.querySelectorAll("tr.session")].find((each) => each.textContent.includes("000000182Z"));
        return row ? Math.round(row.getBoundingClientRect().top) : null; })()`);
    const before = await place();
    expect(before).not.toBeNull();
    many = 305;
    await page.getByText("305 sessions").waitFor();
    await page.locator("tr.session", { hasText: "000000182Z" }).waitFor();
    expect(await place()).toBe(before);
  }, 60_000);

  test("is used by keys alone: j goes to a row, x picks its arms, Enter opens it", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/sessions");
    await rowsOf(page).first().waitFor();
    await page.keyboard.press("j");
    for (const picked of [1, 2, 0, 1]) {
      await page.keyboard.press("x");
      expect(await page.locator(".pick :checked").count()).toBe(picked);
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(session_id));
    await page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    await page.keyboard.press("e");
    await page.locator("details.decision .decision-detail").first().waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("goes on with j beyond the rows that were drawn", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await manySessions(page, 300);
    await page.goto("/sessions");
    await rowsOf(page).first().waitFor();
    const visited: number[] = [];
    // Where the last drawn row has the focus, the key waits for the next to be drawn: a reader presses it again.
    while ((visited.at(-1) ?? 0) < 151) {
      await page.keyboard.press("j");
      const row = await page.evaluate<number>("Number(document.activeElement.getAttribute('aria-rowindex'))");
      if (row !== visited.at(-1)) visited.push(row);
    }
    expect(visited).toEqual(Array.from({ length: 150 }, (_, nth) => nth + 2));
  }, 60_000);

  test("holds every state, long names and other scripts, on every screen and in both themes", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const states = [
      "queued",
      "preparing",
      "running",
      "probing",
      "judging",
      "failed",
      "cancelled",
      "interrupted",
    ] as const;
    await manySessions(page, 16, (index) => ({
      ...(states[index] && { state: states[index], outcome: null }),
      ...(index === 9 && { title: "שלום ".repeat(40), judge_model: `openrouter/${"very-long-".repeat(19)}` }),
      ...(index === 10 && { conflict: true, verdicts: 3, flags: ["single_trial", "truncated"] }),
      ...(index === 11 && { outcome: "winner", winner: "short", cost_usd: 12.5, wall_ms: 61_000 }),
    }));
    await page.goto("/sessions");
    await rowsOf(page).nth(15).waitFor();
    expect(await inspect(page, "sessions-every-state")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);
});
