import { describe, expect, test } from "bun:test";
import { scenarioBrief } from "../../src/comparison/judge/scenario-brief.ts";
import { differences } from "../../src/comparison/scenario/declared-differences.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { membersOf } from "../../src/comparison/scenario/loaded-scenario.ts";
import { promptFor } from "../../src/domain/task.ts";
import { failureOf, scenarioFolder } from "./scenario-folder.ts";

const PROMPTS = `name: tone
varies: [prompt]
inputs:
  - {id: late, question: "Where is {{it}}?", wanted: tomorrow, language: en}
task:
  question: "Answer a customer ({{language}})."
  probe:
    checks: [{id: has, answer_contains: "{{wanted}}"}]
  deliverable: answer
arms:
  - {id: terse, model: openai/gpt-x, tools: [], prompt: "Say it in one word: {{question}}"}
  - {id: kind, extends: terse, prompt: "Be kind. Answer: {{question}}"}
rubric:
  criteria: [Is it friendly?]
`;

async function rowsOf(text: string) {
  await using files = await scenarioFolder({ "tone.yaml": text });
  return (await membersOf(await loadScenarioFile(files.path("tone.yaml")))).map(({ definition }) => definition);
}

async function refused(text: string): Promise<string> {
  await using files = await scenarioFolder({ "tone.yaml": text });
  const path = files.path("tone.yaml");
  return (await failureOf(loadScenarioFile(path))).message.replaceAll(`${path}:`, "");
}

const changed = (from: string, to: string) => {
  expect(PROMPTS).toContain(from);
  return PROMPTS.replace(from, to);
};

describe("prompts that differ", () => {
  test("each arm's template is filled with the row's values, once", async () => {
    const [row] = await rowsOf(PROMPTS);
    expect(row?.arms.map((arm) => promptFor(row.task, arm))).toEqual([
      "Say it in one word: Where is {{it}}?",
      "Be kind. Answer: Where is {{it}}?",
    ]);
    expect(row && differences(row.arms[0], row.arms[1])).toEqual(["prompt"]);
  });

  test("a judge reads the question and what the arms were told, and neither prompt", async () => {
    const [row] = await rowsOf(PROMPTS);
    expect(row?.task).toMatchObject({ prompt: "Answer a customer (en)." });
    expect(row?.task.given).toEqual({ question: "Where is {{it}}?", language: "en" });
    const brief = row ? scenarioBrief(row.task, row.rubric, row.policies) : "";
    expect(brief).toContain("Answer a customer (en).");
    expect(brief).toContain("- question: Where is {{it}}?");
    expect(brief).not.toMatch(/one word|Be kind|tomorrow/);
  });

  test("an arm without a prompt of its own gets the task's, which no judge sees either", async () => {
    const one = changed(', prompt: "Say it in one word: {{question}}"}', "}").replace(
      "task:\n",
      'task:\n  prompt: "Old words: {{question}}"\n',
    );
    const [row] = await rowsOf(one);
    expect(row?.arms.map((arm) => promptFor(row.task, arm))).toEqual([
      "Old words: Where is {{it}}?",
      "Be kind. Answer: Where is {{it}}?",
    ]);
    expect(row ? scenarioBrief(row.task, row.rubric, row.policies) : "").not.toContain("Old words");
  });

  test("without a question for a judge the task needs none: it is known by its title", async () => {
    const measured = changed('  question: "Answer a customer ({{language}})."\n', "")
      .replace(", language: en", "")
      .replace("[Is it friendly?]", "[{measure: probe_score}]");
    const [row] = await rowsOf(measured);
    expect(row?.task).toMatchObject({ prompt: "tone" });
    expect(row?.task).not.toHaveProperty("question");
    expect(row?.task).not.toHaveProperty("given");
  });

  for (const [what, text, said] of [
    [
      "no question where a judge is asked",
      () => changed('  question: "Answer a customer ({{language}})."\n', ""),
      "task.question: missing; expected text: what is asked of both arms. A judge reads it, since it sees no arm's `prompt`",
    ],
    [
      "a prompt that nobody reads",
      () => changed("  question:", "  prompt: Hello\n  question:"),
      "task.prompt: nobody reads it: each arm has a `prompt` of its own; take it out, or call it `question`",
    ],
    [
      "a question that nobody reads",
      () => PROMPTS.replaceAll(/, prompt: "[^"]*"/g, "").replace("task:\n", 'task:\n  prompt: "{{question}}"\n'),
      "task.question: nobody reads it: no arm has a `prompt` of its own, so that a judge reads task.prompt; take it out",
    ],
    [
      "an arm that is asked nothing",
      () => changed(', prompt: "Say it in one word: {{question}}"}', "}"),
      "task.prompt: missing; expected text, or a `prompt` in each arm",
    ],
    ["a blank prompt", () => changed('"Be kind. Answer: {{question}}"', '" "'), "arms[1].prompt: must not be blank"],
    [
      "a template of no column",
      () => changed("Be kind. Answer: {{question}}", "Be kind. {{qestion}}"),
      'arms[1].prompt: {{qestion}} names no column of the inputs; did you mean "question"?',
    ],
  ] as const)
    test(`refused: ${what}`, async () => expect(await refused(text())).toContain(said));
});
