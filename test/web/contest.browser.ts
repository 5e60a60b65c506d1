import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { inspect } from "./inspect.ts";
import { webService } from "./web-service.ts";

const ASKED = [
  ["capital", "Capital of France?", "Paris", "It is Lyon."],
  ["sum", "One and one?", "2", "It is 2."],
] as const;

/** The second arm is wrong about a capital; the third as well, and about sums. */
const QUESTIONS = `name: three-answers
inputs: ${JSON.stringify(ASKED.map(([id, question, must, says]) => ({ id, question, must, says })))}
task:
  prompt: "Answer: {{question}}"
  deliverable: answer
  probe: {checks: [{id: right, answer_contains: "{{must}}", required: true}]}
arms:
  - {id: control, model: scripted/control, tools: [], system_prompt: Old., script: [{say: "It is {{must}}."}]}
  - {id: hasty, model: scripted/hasty, tools: [], system_prompt: New., script: [{say: "{{says}}"}]}
  - {id: silent, model: scripted/silent, tools: [], system_prompt: No., script: [{say: "<b>No</b> idea."}]}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;

/** Of four agents one solves each of 40 tasks, the others every second. */
const AGENTS = ["steady", "second", "third", "best"];
const TABLE = Array.from({ length: 40 }, (_, task) =>
  AGENTS.map((arm) => `task-${task},1,${arm},${arm === "best" || task % 2 === 0}`),
).flat();

describeNeeding(CHROMIUM)("the page of a contest", () => {
  const web = webService({ scenarios: { "three-answers": QUESTIONS } });

  test("shows every arm on one axis, and what each left, the rows that differ first, each with its run", async () => {
    const id = await web.service.runSeries({ scenarios: ["three-answers"], trials: 2 });
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/series/${id}`);
    await page.getByRole("heading", { level: 1, name: /^Against control: / }).waitFor();
    const arms = page.getByRole("region", { name: "Arms", exact: true });
    expect(await arms.getByRole("rowheader").allTextContents()).toEqual(["control", "hasty", "silent"]);
    expect(await arms.locator(".range-rate").count()).toBe(3);
    expect(await arms.locator(".range-span").count()).toBe(3);
    const cases = page.getByRole("region", { name: "What the arms left" });
    expect(await cases.getByRole("columnheader").allTextContents()).toEqual(["row", "control", "hasty", "silent"]);
    const [capital = ""] = await cases.getByRole("row").filter({ hasText: "capital" }).allTextContents();
    for (const text of [
      "It is Paris.",
      "It is Lyon.",
      "<b>No</b> idea.",
      'failed right (the answer does not contain "Paris")',
    ])
      expect(capital).toContain(text);
    expect(await inspect(page, "contest")).toEqual([]);
    await cases.getByRole("row").filter({ hasText: "capital" }).getByRole("link").last().click();
    await page.waitForURL(/\/sessions\/session-three-answers/);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("of a table shows who is best, and each agent against each", async () => {
    const response = await fetch(new URL("/api/series/results?best=true", web.service.url), {
      method: "POST",
      headers: { "content-type": "text/csv" },
      body: ["scenario,trial,arm,passed", ...TABLE].join("\n"),
    });
    const { series_id } = (await response.json()) as { readonly series_id: string };
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/series/${series_id}`);
    await page.getByRole("heading", { level: 1, name: "best is best: each of the other 3 is out" }).waitFor();
    const arms = page.getByRole("region", { name: "Arms", exact: true });
    expect(await arms.getByRole("row", { name: /^best/ }).getByRole("cell").allTextContents()).toContain("best");
    const pairs = page.getByRole("region", { name: "Each against each" });
    const best = pairs.getByRole("row", { name: /^best/ });
    expect(await best.locator(".better").count()).toBe(3);
    expect(
      await pairs
        .getByRole("row", { name: /^second/ })
        .locator(".worse")
        .count(),
    ).toBe(1);
    const cases = page.getByRole("region", { name: "What the arms left" });
    await cases.getByRole("row", { name: /^task-1\b/ }).waitFor();
    expect((await cases.getByRole("rowheader").allTextContents()).slice(0, 2)).toEqual([...["task-1", "task-3"]]);
    expect(await inspect(page, "contest-of-a-table")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);
});
