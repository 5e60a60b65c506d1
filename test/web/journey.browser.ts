import { expect, test } from "bun:test";
import { basisOf, decide } from "../../src/comparison/judge/decide.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { JUDGE_NAME } from "./judge-name.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("a reader of the web UI", () => {
  const web = webService();

  test("starts a run, watches it, reads the verdict, follows citations, and moves weights until the outcome changes", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/scenarios");
    await page.getByRole("link", { name: "Run Move the rate limit out" }).click();
    await page.getByLabel("Judge model").fill(JUDGE_NAME);
    await page.getByRole("button", { name: "Run both arms" }).click();

    await page.waitForURL(/\/live\//);
    const id = page.url().split("/").at(-1) ?? "";
    await page.locator(".step.side-a").first().waitFor();
    await page.locator(".step.side-b").first().waitFor();
    // All in one look: the verdict opens three seconds later.
    await page.waitForFunction(
      () =>
        document.querySelector(".ended")?.textContent.includes("The verdict is ready") &&
        document.querySelector(".lane-head")?.querySelectorAll(".light-pass").length === 4 &&
        document.querySelectorAll(".step").length === 30,
    );
    await page.waitForURL(/\/sessions\//);

    const { verdict, definition } = await web.service.session(id);
    if (!verdict) throw new Error("the run has no verdict");
    await page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    expect(await shownText(page.locator(".page"))).toContain(verdict.statement.split(". ")[0] ?? "");
    expect(verdict.winner).toBe("move-only");

    const headline = page.getByRole("heading", { level: 1 }).locator(".preferred.side-a");
    expect((await shownText(headline)).replaceAll(/\s+/g, " ")).toContain("move-only won");
    const module = page.getByRole("region", { name: "module", exact: true });
    await module.getByText("Reasons").click();
    expect(await shownText(module.locator(".reason.side-b"))).toContain("A small class that counts down");
    await module.getByRole("link", { name: /step 4/ }).click();
    const step = page.locator("details.decision[open][data-cited] > summary:focus");
    await step.waitFor();
    expect(await shownText(step)).toContain("The three blocks differ");
    await module.getByRole("link", { name: /src\/rate-limit.ts:7/ }).click();
    expect(await shownText(page.locator(".line[data-cited]"))).toContain("Counts a call by");
    await module.getByRole("link", { name: /check behaviour/ }).click();
    expect(await shownText(page.locator("td[data-cited] > :focus"))).toMatch(/^behaviour\s+✓\s+passed/);
    await module.getByRole("link", { name: /answer/ }).click();
    expect(await shownText(page.locator(".answer[data-cited]"))).toContain("Please look at the place of each call");

    const weights = new Map(verdict.criteria.map((criterion) => [criterion.id, criterion.weight]));
    const outcome = () => decide(basisOf(verdict, definition.rubric.tie_margin), weights);
    const shown = page.locator(".reweighed");
    for (const [criterion, key, weight] of [
      ["restraint", "Home", 0],
      ["small-change", "Home", 0],
      ["review", "Home", 0],
      ["near-reference", "Home", 0],
      ["module", "End", 10],
    ] as const) {
      await page.getByRole("slider", { name: `Weight of ${criterion}` }).press(key);
      weights.set(criterion, weight);
      const { score_a, score_b, winner_side, outcome: now } = outcome();
      const text = await shownText(shown);
      expect(text).toContain(score_a?.toFixed(2) ?? "");
      expect(text).toContain(score_b?.toFixed(2) ?? "");
      expect(text.includes("The outcome flips")).toBe(now !== verdict.outcome || winner_side !== verdict.winner_side);
    }
    expect(outcome().winner_side).toBe("b");
    expect(await shownText(shown)).toContain("clean-up");
    await page.waitForURL((url) => url.searchParams.get("weights")?.includes("module:10") ?? false);
    await page.reload();
    await page.getByText("The outcome flips.").waitFor();
    await page.emulateMedia({ media: "print" });
    for (const useless of [".masthead", "nav.actions", "form.ballot"])
      expect(await page.locator(useless).isVisible()).toBe(false);
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("button", { name: "Reset weights" }).click();
    expect(await shownText(shown)).not.toContain("The outcome flips");
    await page.waitForURL((url) => url.search === "");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("has the same arms judged by another judge, and finds every verdict on them", async () => {
    const { session_id } = await web.service.run("extract-rate-limit", JUDGE_NAME);
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole("button", { name: "Judge again" }).click();
    await page.getByLabel("Judge model").fill("builtin/evidence");
    await page.getByRole("button", { name: "Judge", exact: true }).click();
    await page.getByRole("heading", { name: "Every verdict on these two runs" }).waitFor();
    await page.getByText("goes by rules, hidden checks").waitFor();
    const judges = page.getByRole("region", { name: "Verdicts" }).locator("code");
    expect(await judges.allInnerTexts()).toEqual([JUDGE_NAME, "builtin/evidence"]);
    await page.getByRole("region", { name: "Verdicts" }).getByRole("link").first().click();
    await page.getByText("judged both orders without knowing").waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("is not led to pay for a judging twice when the page is loaded again", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page } = reader;
    await page.route("**/api/verdicts", () => undefined);
    await page.goto(`/compare?a=${session_id}/short&b=${session_id}/long`);
    await page.getByRole("button", { name: "Judge", exact: true }).click();
    await page.getByText("Both orders are being judged").waitFor();
    await page.reload();
    await page.getByText("A judging of these two was asked for").waitFor();
    expect(await page.getByRole("button", { name: "Judge", exact: true }).count()).toBe(0);
    const [arm_a, arm_b] = ["short", "long"].map((arm_id) => ({ session_id, arm_id }));
    await fetch(`${web.service.url}/api/verdicts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ arm_a, arm_b }),
    });
    await page.getByRole("button", { name: "Judge", exact: true }).waitFor();
    expect(await page.getByRole("region", { name: "Verdicts" }).locator("tbody tr").count()).toBe(2);
  }, 60_000);

  test("is told when an arm left nothing to judge", async () => {
    const id = await web.service.start("unprepared");
    await (await fetch(`${web.service.url}/api/runs/${id}/stream`)).text();
    await using reader = await web.visit();
    await reader.page.goto(`/compare?a=${id}/left&b=${id}/right`);
    await reader.page.getByText("left cannot be judged").waitFor();
    expect(await reader.page.getByRole("button", { name: "Judge", exact: true }).count()).toBe(0);
  }, 60_000);

  test("compares two arms of different sessions", async () => {
    await web.service.run("quick");
    await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/sessions?scenario=quick");
    const rows = page.locator(".session");
    await rows.nth(0).getByRole("checkbox", { name: "short" }).check();
    await rows.nth(1).getByRole("checkbox", { name: "long" }).check();
    await page.getByRole("link", { name: "Compare these two" }).click();
    await page.getByText("Nobody has judged these two against each other.").waitFor();
    await page.getByRole("button", { name: "Judge", exact: true }).click();
    await page.getByText("Across two sessions").waitFor();
    expect(await shownText(page.locator(".glance"))).toContain("measured criteria");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("votes blind, and only then learns names and verdict", async () => {
    const { session_id, verdict } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/sessions");
    await page.getByRole("button", { name: "Blind" }).click();
    await page.goto(`/sessions/${session_id}`);
    await page.getByText("Which is the better answer?").waitFor();
    const before = await shownText(page.locator("main"));
    for (const hidden of ["short", "long", "Winner", verdict?.statement ?? ""]) expect(before).not.toContain(hidden);
    // No mark of an arm either: which of the two is A may turn out otherwise.
    const marks = await page.locator("main .arm-mark").allTextContents();
    expect(new Set(marks)).toEqual(new Set(["1", "2"]));
    expect(await page.locator("main").textContent()).not.toMatch(/arm [ab]\b/i);
    const shortIsFirst = (await shownText(page.locator(".answer").first())).includes("Hello.");
    await page.getByText("Say why").click();
    await page.getByLabel("Why", { exact: true }).fill("It says less.");
    await page.getByLabel("Your name").fill("<i>Ada</i>");
    await page.getByLabel("Your name").press("Enter");
    // A key is no choice of an arm.
    expect(await page.getByRole("button", { name: "Neither" }).isEnabled()).toBe(true);
    await page.getByRole("button", { name: `${shortIsFirst ? "First" : "Second"} is better` }).click();
    await page.getByText("You and the verdict agree").waitFor();
    expect(await shownText(page.locator("main"))).toContain("you preferred short; the verdict names short");
    await page.reload();
    await page.getByText("You and the verdict agree").waitFor();
    const [left, right] = [verdict?.arm_a.arm_id, verdict?.arm_b.arm_id];
    const order = shortIsFirst === (left === "short") ? "ab" : "ba";
    const choice = left === "short" ? "a" : "b";
    expect(right).not.toBe(left);
    expect((await web.service.session(session_id)).votes).toMatchObject([
      { order, choice, blind: true, reason: "It says less.", voter: "<i>Ada</i>" },
    ]);
    const said = await shownText(page.locator("#people"));
    for (const shown of ["1 of 1 blind vote (21% to 100%)", "It says less.", "<i>Ada</i>"])
      expect(said).toContain(shown);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("keeps a vote while the server is away, and a vote after the verdict as not blind", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/sessions/${session_id}#people`);
    await page.locator("#people").getByText("Say why").click();
    await page.getByLabel("Why", { exact: true }).fill("Typed before the crash.");
    await web.service.kill();
    await page.getByRole("button", { name: "Neither" }).click();
    await page.getByText("The server does not answer").first().waitFor();
    await web.service.revive();
    await page.getByText("Trying again every second").waitFor({ state: "hidden" });
    expect(await page.getByLabel("Why", { exact: true }).inputValue()).toBe("Typed before the crash.");
    await page.getByRole("button", { name: "Neither" }).click();
    await page.getByText("You preferred neither").waitFor();
    expect((await web.service.session(session_id)).votes).toMatchObject([
      { choice: "tie", blind: false, reason: "Typed before the crash.", voter: null },
    ]);
    await page.locator("#people").getByText("1 vote not blind, left out").waitFor();
  }, 60_000);
});
