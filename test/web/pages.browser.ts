import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { SelfTestStarted } from "../../src/domain/self-test.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { DESKTOP, PHONE, shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { JUDGE_NAME } from "./judge-name.ts";
import { faultsOfTab } from "./keyboard.ts";
import { EVIDENCE_SCENARIOS, SETUP_LOG } from "./scenarios.ts";
import { webService } from "./web-service.ts";

/** A page to inspect, and the words that show that it has loaded. */
interface Look {
  readonly name: string;
  readonly path: (sessions: Sessions) => string;
  readonly ready: string;
  readonly act?: (page: Page) => Promise<void>;
}

interface Sessions {
  readonly judged: string;
  readonly conflict: string;
  readonly stopped: string;
  readonly failed: string;
  readonly series: string;
  readonly selfTest: string;
  readonly answered: string;
  readonly panel: string;
  readonly unchecked: string;
}

const PANEL = `panel(${JUDGE_NAME}+gateway/impartial-2+gateway/impartial-3)`;

const openEverything = (page: Page) =>
  page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })") as Promise<void>;

const LOOKS: readonly Look[] = [
  { name: "home", path: () => "/", ready: "Latest trials" },
  { name: "scenarios", path: () => "/scenarios", ready: "A long way" },
  {
    name: "scenario",
    path: () => "/scenarios/extract-rate-limit",
    ready: "looks fine|fine",
    act: (page) => page.getByText("run it many times").click(),
  },
  { name: "sessions", path: () => "/sessions", ready: "Arms that mean harm", act: pickTwo },
  { name: "verdict", path: ({ judged }) => `/sessions/${judged}`, ready: "Both judging orders" },
  {
    name: "verdict-open",
    path: ({ conflict }) => `/sessions/${conflict}`,
    ready: "What they changed",
    act: openEverything,
  },
  {
    name: "verdict-cited",
    path: ({ judged }) => `/sessions/${judged}`,
    ready: "What they changed",
    act: openEverything,
  },
  { name: "verdict-conflict", path: ({ conflict }) => `/sessions/${conflict}`, ready: "judge_probe_conflict" },
  { name: "no-verdict", path: ({ stopped }) => `/sessions/${stopped}`, ready: "This run was stopped" },
  { name: "failed", path: ({ failed }) => `/sessions/${failed}`, ready: "This run failed" },
  { name: "timeline", path: ({ judged }) => `/live/${judged}?stay`, ready: "Back to the session" },
  { name: "diff", path: ({ judged }) => `/sessions/${judged}/diff?view=a-b`, ready: "src/rate-limit.ts" },
  {
    name: "compare",
    path: ({ judged }) => `/compare?a=${judged}/move-only&b=${judged}/clean-up`,
    ready: "Verdicts on this pair",
  },
  { name: "series-list", path: () => "/series", ready: "2 of 2 trials count" },
  { name: "series", path: ({ series }) => `/series/${series}`, ready: "Plan and limits" },
  { name: "series-open", path: ({ series }) => `/series/${series}`, ready: "Plan and limits", act: openEverything },
  { name: "series-export", path: ({ series }) => `/api/series/${series}/report`, ready: "Both arms" },
  { name: "verdict-export", path: ({ judged }) => `/api/sessions/${judged}/report`, ready: "What they changed" },
  { name: "checks-export", path: ({ unchecked }) => `/api/sessions/${unchecked}/report`, ready: "could not run" },
  { name: "duel", path: ({ judged }) => `/api/sessions/${judged}/report?format=html-duel`, ready: "apart" },
  { name: "results", path: () => "/series/results", ready: "What the table holds" },
  { name: "answers", path: ({ answered }) => `/sessions/${answered}`, ready: "Both were asked" },
  { name: "panel", path: ({ panel }) => `/sessions/${panel}`, ready: "gateway/impartial-3" },
  { name: "unchecked", path: ({ unchecked }) => `/sessions/${unchecked}`, ready: "Not judged" },
  { name: "judges", path: () => "/judges", ready: "Test this judge" },
  { name: "self-test", path: ({ selfTest }) => `/judges/${selfTest}`, ready: "Test it again" },
  { name: "blind-pairs", path: () => "/judges/blind", ready: "Which is the better answer" },
  { name: "doctor", path: () => "/doctor", ready: "checks? passed", act: openEverything },
  { name: "help", path: () => "/doctor", ready: "checks? passed", act: openHelp },
  { name: "unknown-page", path: () => "/nowhere", ready: "There is no such page" },
  {
    name: "judge-again",
    path: ({ judged }) => `/sessions/${judged}`,
    ready: "Both judging orders",
    act: async (page) => {
      await page.getByRole("button", { name: "Judge again" }).click();
      await page.getByRole("dialog").getByLabel("Judge model").waitFor();
    },
  },
  { name: "ballot", path: ({ judged }) => `/sessions/${judged}`, ready: "Both judging orders", act: goBlind },
];

async function pickTwo(page: Page): Promise<void> {
  const boxes = page.locator(".session").filter({ hasText: "extract-rate-limit" }).getByRole("checkbox");
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByText("Compare these two").waitFor();
}

async function openHelp(page: Page): Promise<void> {
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
}

/** A page of the UI, or an export as a reader opens it from a file. */
async function open(page: Page, url: string, path: string): Promise<void> {
  if (path.startsWith("/api/")) await page.setContent(await (await fetch(url + path)).text());
  else await page.goto(path);
}

async function goBlind(page: Page): Promise<void> {
  await page.keyboard.press("b");
  await page.getByText("Which is the better answer?").waitFor();
}

/** Its page shows when it has ended. @returns its id */
async function startSelfTest(url: string): Promise<string> {
  const body = JSON.stringify({ scenario: "extract-rate-limit", judge_model: JUDGE_NAME });
  const headers = { "content-type": "application/json" };
  const started = await fetch(`${url}/api/self-tests`, { method: "POST", headers, body });
  const { self_test_id } = (await started.json()) as SelfTestStarted;
  return self_test_id;
}

describeNeeding(CHROMIUM)("every page of the web UI", () => {
  const web = webService({ scenarios: EVIDENCE_SCENARIOS });
  let sessions: Sessions;
  beforeAll(async () => {
    const { service } = web;
    const [judged, conflict, stopped, failed, series, answered, panel, unchecked] = await Promise.all([
      service.run("extract-rate-limit", JUDGE_NAME),
      service.run("hostile"),
      service.start("slow"),
      service.start("unprepared"),
      service.runSeries({ scenarios: ["quick"], trials: 2 }),
      service.run("asked"),
      service.run("hostile", PANEL),
      service.run("unchecked"),
    ]);
    const selfTest = await startSelfTest(service.url);
    await fetch(`${service.url}/api/runs/${stopped}`, { method: "DELETE" });
    await (await fetch(`${service.url}/api/runs/${failed}/stream`)).text();
    sessions = {
      ...{ judged: judged.session_id, conflict: conflict.session_id, stopped, failed, series, selfTest },
      ...{ answered: answered.session_id, panel: panel.session_id, unchecked: unchecked.session_id },
    };
  }, 60_000);

  test.each(LOOKS)(
    "$name fits at 1440, 1024, 820 and 390 pixels, is accessible at 1440, 820 and 390, in light and dark, and is used by keys " +
      "alone: Tab reaches whatever can be used, a reader sees where, and keys use it",
    async ({ name, path, ready, act }) => {
      await using reader = await web.visit();
      const { page, complaints } = reader;
      await open(page, web.service.url, path(sessions));
      await page.getByText(new RegExp(ready)).first().waitFor();
      await act?.(page);
      expect(await inspect(page, name)).toEqual([]);
      expect(complaints).toEqual([]);

      await page.setViewportSize(DESKTOP);
      await page.emulateMedia({ colorScheme: "light" });
      await page.waitForLoadState("networkidle");
      expect(await faultsOfTab(page)).toEqual([]);
    },
    120_000,
  );

  test("the page of a failed run shows what the setup printed line by line", async () => {
    await using reader = await web.visit({ viewport: PHONE });
    const { page } = reader;
    await page.goto(`/sessions/${sessions.failed}`);
    const notice = page.locator(".notice", { hasText: "Stopped while preparing" });
    const why = "task.setup[0] `cat setup.log; exit 3` failed (exit code 3)";
    const [, ...shown] = (await shownText(notice)).split("Stopped while preparing")[1]?.split(/\n+/) ?? [];
    expect(shown).toEqual([why, ...SETUP_LOG.split("\n"), "setup_failed"]);
  }, 60_000);

  test("a check that could not run is told as that, and nothing as failed or judged", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/sessions/${sessions.unchecked}`);
    const row = page.getByRole("row", { name: /^lint/ });
    await row.waitFor();
    expect((await shownText(row)).match(/could not run/g)).toHaveLength(2);
    const told = await shownText(page.locator("main"));
    expect(told).not.toMatch(/\bfailed\b|0\.50/);
    expect(told).toContain("Not judged: checks");
    const notices = await page.locator(".notice-title").allTextContents();
    expect(notices).toContain("Serious: A hidden check could not run");
    expect(notices.join()).not.toContain("No check that is known to fail");
  }, 60_000);

  test("a check that could not run on one arm alone decides, and is told as that and not as failed", async () => {
    const { session_id } = await web.service.run("unlinted");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/sessions/${session_id}`);
    const fact = page.locator(".deciding-fact");
    await fact.waitFor();
    const told = (await shownText(fact)).replaceAll(/\s+/g, " ");
    expect(told).toMatch(/^lint required check .*plain ✓ passed .*bare ⚠ could not run .*no-such-linter is not found/);
    await page.getByRole("heading", { level: 2, name: "What decided" }).waitFor();
    expect(await shownText(page.locator("main"))).not.toContain("failed");
  }, 60_000);

  test("an answer stands below its question, and what a check looked for is quoted", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/sessions/${sessions.answered}`);
    const answers = page.locator("#answers");
    await answers.getByText("Until when can I return the shoes?").waitFor();
    expect(await shownText(answers)).toMatch(/shoes\?.*Within 30 days\..*At any time\./s);
    await page.getByText('the answer does not contain "30 days"').first().waitFor();
  }, 60_000);

  test("the hearings of a panel stand below the judge that held them", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/sessions/${sessions.panel}`);
    const judges = page.locator("#orders .member");
    await judges.nth(2).waitFor();
    for (const [index, member] of (await judges.all()).entries()) {
      await member.getByRole("heading", { level: 3, name: `gateway/impartial-${index + 1}` }).waitFor();
      const hearings = await member.getByRole("heading", { level: 4 }).allInnerTexts();
      expect(hearings.filter((text) => text.includes("shown first")).length).toBeGreaterThanOrEqual(2);
    }
  }, 60_000);

  test("Live is accessible, fits, and is used by keys alone while both arms are at work", async () => {
    const id = await web.service.start("slow");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/live/${id}`);
    await page.getByText("Step 3.", { exact: true }).first().waitFor();
    expect(await inspect(page, "live")).toEqual([]);
    await page.getByText("Step 8.", { exact: true }).last().waitFor();
    expect(await faultsOfTab(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);
});
