import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { SessionListing } from "../../src/domain/session.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { webService } from "./web-service.ts";

/** The nth oldest of many sessions. */
const session = (n: number, changes: Partial<SessionListing> = {}): SessionListing => ({
  session_id: `session-quick-20260101T${String(n).padStart(9, "0")}Z`,
  scenario: "quick",
  state: "completed",
  created_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:00:01.000Z",
  arms: ["short", "long"].map((arm_id) => ({ arm_id, model: "scripted/x", status: "finished" })),
  outcome: "tie",
  winner: null,
  confidence: "low",
  judge_model: "builtin/evidence",
  ...changes,
});

const sessions = (count: number) => Array.from({ length: count }, (_, index) => session(count - index));

/** The server has these sessions, newest first. */
const serve = (page: Page, rows: () => readonly SessionListing[]) =>
  page.route(/\/api\/sessions\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const first = rows().findIndex(({ session_id }) => session_id === query.get("before")) + 1;
    return route.fulfill({ json: rows().slice(first, first + Number(query.get("limit"))) });
  });

async function scrolledTo(page: Page, top: unknown): Promise<void> {
  while ((await page.evaluate("scrollY")) !== top) await page.evaluate("new Promise(requestAnimationFrame)");
}

describeNeeding(CHROMIUM)("the list of sessions", () => {
  const web = webService();

  test("is filtered as a whole, says how much was looked through, and draws a screenful", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const rows = [...sessions(1_027), session(0, { winner: "needle", outcome: "winner" })];
    await serve(page, () => rows);
    await page.goto("/sessions");
    await page.locator(".session").first().waitFor();
    await page.getByRole("searchbox").fill("quick");
    await page.getByText("1,028 of 1,028 sessions match.").waitFor();
    expect(await page.locator(".session").count()).toBe(50);
    await page.getByRole("searchbox").fill("needle");
    await page.getByText("1 of 1,028 sessions match.").waitFor();
    expect(await page.locator(".session").count()).toBe(1);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("says that a filter looks no further back than 5,000 sessions", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    const rows = sessions(5_001);
    await serve(page, () => rows);
    await page.goto("/sessions?filter=nothing-of-that-name");
    await page.getByText("0 of 5,000 sessions match. Only the newest 5,000 were looked through").waitFor();
  }, 60_000);

  test("is as it was when a reader comes back: filter, rows, and place", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const rows = sessions(300);
    rows[80] = session(0, { session_id });
    await serve(page, () => rows);
    await page.goto("/sessions");
    await page.getByRole("searchbox").fill("quick");
    await page.getByRole("button", { name: "Show older sessions" }).click();
    const row = page.locator(".session", { hasText: session_id });
    await row.scrollIntoViewIfNeeded();
    const top = await page.evaluate("scrollY");
    expect(top).toBeGreaterThan(1_000);
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.goBack();
    await row.waitFor();
    await scrolledTo(page, top);
    expect(await page.getByRole("searchbox").inputValue()).toBe("quick");
    expect(await page.locator(".session").count()).toBe(100);
    await page.reload();
    await scrolledTo(page, top);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("shows how a run that goes on has ended", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    let now = session(1, { state: "running", outcome: null });
    await serve(page, () => [now]);
    await page.goto("/sessions");
    await page.locator(".state-running").waitFor();
    now = session(1);
    await page.getByText("Tie").waitFor();
  }, 60_000);

  test("is used by keys alone: j goes to a row, x picks its arms, Enter opens it", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/sessions");
    await page.locator(".session").first().waitFor();
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
});
