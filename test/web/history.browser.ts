import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { JUDGE_NAME } from "./judge-name.ts";
import { manySessions } from "./many-sessions.ts";
import { webService } from "./web-service.ts";

/** Where dots begin: equal scores must not lie on each other. */
const LEFTS = (dots: Element[]) => dots.map((dot) => dot.getBoundingClientRect().left);

describeNeeding(CHROMIUM)("the page of a scenario", () => {
  const web = webService();

  test("shows what became of its sessions and where its file changed, and keys lead to one", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const scored = (index: number) => [
      { arm_id: "short", model: "scripted/x", status: "finished" as const, score: 0.9 - index / 10 },
      { arm_id: "long", model: "scripted/x", status: "finished" as const, score: 0.25 },
    ];
    await manySessions(page, 4, (index) =>
      index === 3
        ? { state: "failed", outcome: null }
        : {
            arms: scored(index),
            outcome: "winner",
            winner: "short",
            scenario_digest: String(index < 2).padEnd(64, "0"),
          },
    );
    await page.goto("/scenarios/quick");
    const history = page.getByRole("list", { name: "Sessions of this scenario, oldest first" });
    await history.waitFor();
    expect(await history.getByRole("listitem").count()).toBe(4);
    expect(await history.locator(".history-won").count()).toBe(3);
    expect(await history.locator(".drifted").count()).toBe(1);
    await history.getByRole("link").last().focus();
    await page.keyboard.press("ArrowLeft");
    const named = await page.evaluate("document.activeElement.getAttribute('aria-label')");
    expect(named).toEndWith("short won, short 0.80, long 0.25, the scenario's file had changed");
    await page.keyboard.press("Enter");
    await page.waitForURL(/000000003Z/);
    expect(complaints.filter((line) => !line.includes("404"))).toEqual([]);

    await manySessions(page, 4, (index) => ({
      input: `row-${index % 2}`,
      scenario_digest: String(index % 2).padEnd(64, "0"),
    }));
    await page.goto("/scenarios/quick");
    await history.waitFor();
    expect(await history.locator(".drifted").count()).toBe(0);

    const alike = scored(0).map((arm) => ({ ...arm, score: 0.5 }));
    await manySessions(page, 2, (index) => ({
      ...{ arms: alike, outcome: "tie", winner: null },
      judge_model: index === 0 ? "builtin/evidence" : JUDGE_NAME,
    }));
    await page.goto("/scenarios/quick");
    await page.getByRole("heading", { name: "no judge model: checks and measures alone" }).waitFor();
    const lefts = await history.first().locator(".history-dot").evaluateAll(LEFTS);
    expect(new Set(lefts).size).toBe(2);
    expect(await inspect(page, "history")).toEqual([]);
  }, 60_000);

  test("on its card stands the last result, and a broken file comes last", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/scenarios");
    await page.getByRole("link", { name: "Last result" }).first().waitFor();
    expect(await page.getByRole("link", { name: "Last result" }).first().getAttribute("href")).toContain(session_id);
    expect(await shownText(page.locator(".card").last())).toContain("This file cannot be run");
  }, 60_000);

  test("says nothing of the cost of models that its estimate does not know", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/scenarios/quick");
    const form = page.locator(".run-form");
    await form.getByText("nothing is spent on them").waitFor();
    await page.locator(".checks").waitFor({ state: "attached" }); // with them the estimate is known
    await form.getByLabel("Model of both arms").fill("gateway/dear");
    await form.getByText("What it may cost is not known").waitFor();
    expect(await shownText(form)).not.toContain("nothing is spent");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("suggests judges that were used here, and one that asks no model", async () => {
    await web.service.run("quick", JUDGE_NAME);
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/scenarios/quick");
    for (const name of ["builtin/evidence", JUDGE_NAME])
      await page.locator(`datalist option[value="${name}"]`).waitFor({ state: "attached" });
    expect(await page.locator('datalist option[value^="scripted/"]').count()).toBe(0);
  }, 60_000);

  test("says of which providers there is no key here, and lets them be typed", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    for (const path of ["/scenarios/quick", "/judges?scenario=quick"]) {
      await page.goto(path);
      const judge = page.getByLabel("Judge model");
      await judge.fill("nobody/knows-it");
      await page.getByText("no key here for nobody").waitFor();
      expect(await judge.inputValue()).toBe("nobody/knows-it");
      if (path.startsWith("/scenarios")) expect(await inspect(page, "no-key")).toEqual([]);
      await judge.fill(JUDGE_NAME);
      await page.getByText("no key here").waitFor({ state: "detached" });
    }
    await page.goto("/scenarios/quick");
    await page.getByLabel("Model of both arms").fill("nobody/knows-it");
    await page.getByText("no key here for nobody").waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);
});
