import { expect, test } from "bun:test";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { JUDGE_NAME } from "./judge-name.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("the page of judges", () => {
  const web = webService();

  test("is led to by keys and profiles every judge that was asked", async () => {
    await web.service.run("hostile");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/doctor");
    await page.getByText("Runs can work here").waitFor();
    for (const key of ["g", "j"]) await page.keyboard.press(key);
    await page.waitForURL(/\/judges$/);
    const card = page.getByRole("region", { name: `Judge ${JUDGE_NAME}` });
    await card.waitFor();
    const told = (await shownText(card)).replaceAll(/\s+/g, " ");
    expect(told).toContain(JUDGE_NAME);
    // Other tests of this block have the same run judged.
    expect(told).toMatch(/Position bias in none of \d+ verdicts?; range 0% to \d+%.* 0 of \d+: 0%, range/);
    expect(told).toContain("not known: no blind vote to compare");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("tests a judge on a scenario, and a test that is refused says why", async () => {
    // Without a stored arm there is nothing to ask a judge about, and so no key that would be missing.
    await web.service.run("hostile");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/judges?scenario=hostile");
    // A form whose scenarios are not there yet is not sent. A list that comes above it while it is clicked takes the click away.
    await page.waitForFunction(
      () => document.querySelector("select")?.value === "hostile" && document.querySelector(".loading") === null,
    );
    await page.getByLabel("Judge model").fill("nobody/knows-it");
    await page.getByRole("button", { name: "Test this judge" }).click();
    await page.getByText("This was refused").waitFor();
    await page.getByRole("combobox", { name: "Scenario" }).selectOption("quick");
    await page.getByLabel("Judge model").fill("");
    await page.getByText("The judge of quick is builtin/evidence. It asks no model").waitFor();
    await page.getByLabel("Judge model").fill("nobody/knows-it");
    await page.getByRole("button", { name: "Test this judge" }).click();
    await page.waitForURL(/\/judges\/self-test-quick-/);
    await page.getByText("Nothing about this judge was learned here.").waitFor();
    await page.getByRole("status").filter({ hasText: "not tested" }).waitFor();
    await page.getByRole("link", { name: "Test it on another scenario" }).click();
    await page.waitForFunction(() => document.activeElement instanceof HTMLSelectElement);
    await page.goBack();
    await page.getByRole("link", { name: "Judges" }).first().click();
    const tested = page.getByRole("region", { name: "Self-tests" }).locator("tbody tr").first();
    await tested.waitFor();
    expect((await shownText(tested)).replaceAll(/\s+/g, " ")).toContain("quick");
    await tested.getByRole("link").first().click();
    await page.waitForURL(/\/judges\/self-test-quick-/);
    await page.goto("/judges/self-test-nonesuch");
    await page.getByText("Not found").waitFor();
  }, 60_000);

  test("shows a self-test part by part, accessible in both sizes and themes", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.route("**/api/self-tests/*", (route) => route.fulfill({ json: EXAMPLES.self_test }));
    await page.route("**/api/self-tests?*", (route) => route.fulfill({ json: [EXAMPLES.self_test_row] }));
    await page.route("**/api/judges", (route) => route.fulfill({ json: EXAMPLES.judges }));
    await page.goto(`/judges/${EXAMPLES.self_test.self_test_id}`);
    await page.getByRole("heading", { name: "Edits that change nothing" }).waitFor();
    expect(await inspect(page, "self-test")).toEqual([]);
    await page.getByRole("link", { name: "Judges" }).first().click();
    await page.getByText("18 of 19:").waitFor();
    expect(await inspect(page, "judges-profiled")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("does not say of a judge that it failed when it could not be asked", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    const failure = { code: "provider_failed", message: "gateway could not be reached" };
    const ended = { state: "failed", verdict: null, parts: [], failure };
    await page.route("**/api/self-tests/*", (route) => route.fulfill({ json: { ...EXAMPLES.self_test, ...ended } }));
    await page.goto(`/judges/${EXAMPLES.self_test.self_test_id}`);
    await page.getByText("gateway could not be reached").waitFor();
    expect(await shownText(page.locator("main"))).not.toMatch(/\bfailed/);
    expect(await page.locator(".glance [role=status]").textContent()).toBe("not completed");
  }, 60_000);
});

describeNeeding(CHROMIUM)("the page of blind pairs", () => {
  const web = webService({ empty: true });

  test("offers blind pairs one after the other, a vote by one key each, and says when none is left", async () => {
    await web.service.run("quick");
    await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/judges");
    await page.getByRole("link", { name: "Vote on blind pairs" }).first().click();
    await page.waitForURL("**/judges/blind");
    const voted = (votes: string) => page.getByText(`${votes} so far`);
    await voted("0 votes").waitFor();
    await page.getByText("Which is the better answer?").waitFor();
    expect(await shownText(page.locator("main"))).not.toMatch(/\b(short|long)\b|scripted|won/);
    expect(await inspect(page, "blind-pairs")).toEqual([]);
    await page.keyboard.press("1");
    await voted("1 vote").waitFor();
    await page.getByText("Which is the better answer?").waitFor();
    // The keys of the next pair work once it is drawn.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await page.keyboard.press("0");
    await page.getByText("You voted on 2 pairs.").waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);
});

describeNeeding(CHROMIUM)("judges before the first run", () => {
  const web = webService({ empty: true });

  test("are a page that says what can be learned of a judge, and how", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.route("**/api/judges", (route) => route.fulfill({ json: { ...EXAMPLES.judges, judges: [] } }));
    await page.route("**/api/self-tests?*", (route) => route.fulfill({ json: [] }));
    await page.goto("/judges");
    await page.getByText("nothing is known about any judge").waitFor();
    expect(await page.locator(".judge-bars dt").allInnerTexts()).toEqual([
      "Self-test",
      "Position bias",
      "Agrees with checks",
      "Agrees with people",
    ]);
    expect(await inspect(page, "judges-empty")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("claims no vote where there is nothing to vote on, and counts what was skipped as skipped", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/judges/blind");
    await page.getByText("There is no pair to vote on yet").waitFor();
    expect(await shownText(page.locator("main"))).not.toContain("You have voted");
    expect(await inspect(page, "blind-none")).toEqual([]);
    await web.service.run("quick");
    await page.reload();
    await page.getByRole("button", { name: "Skip this pair" }).click();
    await page.getByText("You voted on 0 pairs and skipped 1.").waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);
});
