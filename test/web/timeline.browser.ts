import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Decision } from "../../src/domain/decision.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { webService } from "./web-service.ts";

/** Of an external agent: turns and calls by turns. Both arms begin with the same 40 steps; every tenth fails. */
const step = (seq: number, arm: string): Decision => {
  const at = new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString();
  const who = seq > 40 ? arm : "both";
  const common = { seq, tokens_in: 0, tokens_out: 0, latency_ms: 900, at };
  if (seq % 2 === 1) {
    const detail = { stop_reason: "tool_calls", tools: ["run_command"], cached_tokens: 0, text: `${who} ${seq}` };
    const thread = seq % 9 === 0 ? 2 : 1;
    return { ...common, kind: "model_turn", tokens_in: 50, summary: `${who} thinks`, detail: { ...detail, thread } };
  }
  const exit_code = seq % 10 === 0 ? 1 : 0;
  const detail = { tool: "run_command", input: `{"command":"make ${seq}"}`, ok: true, exit_code, output: "", bytes: 0 };
  return { ...common, kind: "tool_call", summary: `run_command make ${seq}`, detail };
};

/** The server has this session. */
async function tell(page: Page, session: SessionOutcome, steps: number): Promise<void> {
  const log = (arm: string) => Array.from({ length: steps }, (_, index) => step(index + 1, arm));
  const decisions = Object.fromEntries(session.arms.map(({ arm_id }) => [arm_id, log(arm_id)]));
  const agent = { recipe: "an-agent", install: "an-agent", version: "2.1.0", digest: null, exit_code: 0 };
  const arms = session.arms.map((arm) => ({ ...arm, agent }));
  await page.route("**/api/sessions/session-*", (route) => route.fulfill({ json: { ...session, arms, decisions } }));
  await page.goto(`/live/${session.session_id}?stay`);
  await page.getByText("Back to the session").waitFor();
}

describeNeeding(CHROMIUM)("a timeline", () => {
  const web = webService();

  test("folds what both began with alike, says where they part, and draws 5,000 steps as they come into sight", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await tell(page, await web.service.run("quick"), 5_000);
    await page.getByText("Same start in both: 40 steps").waitFor();
    await page.getByText("Here they part").waitFor();
    expect(await page.locator(".lane.side-a .seq").first().textContent()).toBe("41");
    expect(await page.locator(".step").count()).toBeLessThan(400);
    expect(await shownText(page.locator(".lane-head").first())).toContain("in an-agent 2.1.0");
    await page.keyboard.press("End");
    await page.locator(".lane.side-b .seq", { hasText: /^5000$/ }).waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("shows no lanes when both did the same to the end", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await tell(page, await web.service.run("quick"), 40);
    await page.getByText("Both did the same, 40 steps").click();
    await page.locator(".step").first().waitFor();
    expect(await page.locator(".lane").count()).toBe(0);
  }, 60_000);

  test("is searched, filtered by thread and by what went wrong, and a failed call says so", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await tell(page, await web.service.run("quick"), 100);
    await page.getByRole("searchbox", { name: "Search steps" }).fill("make 50");
    await page.getByText("2 of 200 steps").waitFor();
    expect(await shownText(page.locator(".lane.side-b .decision-failed"))).toContain("exit 1");
    await page.getByRole("searchbox").fill("");
    await page.getByLabel("Only what went wrong").check();
    await page.getByText("20 of 200 steps").waitFor();
    await page.getByLabel("Only what went wrong").uncheck();
    await page.getByLabel("Thread").selectOption("2");
    await page.getByText("12 of 200 steps").waitFor();
    expect(await shownText(page.locator(".lane.side-a .thread").first())).toBe("thread 2");
  }, 60_000);

  test("its strip leads to a step by a click, shows a part by a drag, and all of it again by keyboard", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await tell(page, await web.service.run("quick"), 100);
    const track = page.locator(".overview-track").last();
    const box = await track.boundingBox();
    if (!box) throw new Error("no strip");
    const at = (share: number) => [box.x + share * box.width, box.y + 5] as const;
    await page.mouse.move(...at(0.755));
    await page.locator(".overview-told", { hasText: "76" }).waitFor();
    await page.mouse.click(...at(0.755));
    await page.locator(".lane.side-b .decision[open] > summary:focus", { hasText: "make 76" }).waitFor();
    await page.evaluate("scrollTo(0, 0)");
    await page.mouse.move(...at(0.5));
    await page.mouse.down();
    await page.mouse.move(...at(0.6));
    await page.mouse.up();
    await page.mouse.move(0, 0);
    await page.getByText(/^Steps from .* are shown\.$/).waitFor();
    expect(await page.locator(".step").count()).toBeLessThan(30);
    await page.getByRole("button", { name: "Reset zoom" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("200 steps", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("says how far each arm was at equal spend, at any that the reader asks for", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await tell(page, await web.service.run("quick"), 100);
    await page.getByText("How far each was at equal spend").click();
    const said = page.locator(".spend [role=status]");
    expect((await shownText(said)).replaceAll(/\s+/g, " ")).toMatch(/At 2,500 tokens each: .*short 40.*long 40/);
    await page.getByRole("slider", { name: "Spend in tokens" }).press("Home");
    expect((await shownText(said)).replaceAll(/\s+/g, " ")).toMatch(/At 0 tokens each: .*short 0.*long 0/);
    expect(await inspect(page, "timeline-spend")).toEqual([]);
  }, 60_000);

  test("leaves what one reads where it is while a run goes on", async () => {
    const id = await web.service.start("slow");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/live/${id}`);
    const read = page.locator(".lane.side-a .step", { hasText: "Step 2." });
    await read.waitFor();
    await read.locator("summary").click();
    await read.locator(".decision-detail").waitFor();
    const before = await read.boundingBox();
    await page.getByText("Step 6.", { exact: true }).first().waitFor();
    expect(await read.boundingBox()).toEqual(before);
    await fetch(`${web.service.url}/api/runs/${id}`, { method: "DELETE" });
    await page.getByText("The run ended without a verdict").waitFor();
    expect(await read.boundingBox()).toEqual(before);
    expect(await page.getByText("Opening in").count()).toBe(0);
  }, 60_000);
});
