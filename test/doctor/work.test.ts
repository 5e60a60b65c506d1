import { expect, test } from "bun:test";
import { diagnoseFile, ofScenario, troubles } from "./small-scenario.ts";

const CONTAINS = { id: "yes", answer_contains: "yes" };
const QUESTION = { id: "clear", question: "Is it clear?" };

/** Two arms that can only answer. */
const answering = ({
  task = {},
  criteria = [{ measure: "answer_words" }] as object[],
  judge = "builtin/evidence",
}) => ({
  name: "small",
  task: { prompt: "Is it so?", ...task },
  arms: [
    { id: "brief", model: "scripted/a", system_prompt: "You are brief.", tools: [], script: [{ say: "yes" }] },
    { id: "long", extends: "brief", system_prompt: "You are long." },
  ],
  rubric: { criteria, judge: { model: judge } },
});

const row = async (id: string, parts: Parameters<typeof answering>[0], changes = {}) => {
  const report = await diagnoseFile(answering(parts), changes);
  const { status, detail } = ofScenario(report).find((check) => check.id === id) ?? expect.unreachable();
  return `${status}: ${detail}`;
};

test("files that no arm can write are a failure, the answer in their place is none", async () => {
  const plan = { deliverable: ["plan.md"], probe: { checks: [CONTAINS] } };
  expect(await row("task.files", { task: plan })).toBe("fail: no arm has a tool that writes plan.md");
  expect(await row("task.files", { task: { probe: { checks: [CONTAINS] } } })).toBe(
    "pass: the deliverable is the answer, not files",
  );
});

test("an answer that nothing looks at is a failure", async () => {
  expect(await row("task.answer", {})).toBe("fail: no check and no question covers it");
  const aside = { probe: { checks: [{ called: { tool: "read_file" } }, { changed: { paths: ["**"] } }, "true"] } };
  expect(await row("task.answer", { task: aside })).toStartWith("fail");
  expect(await row("task.answer", { criteria: [QUESTION] })).toBe(
    "warn: only questions cover it (clear), and builtin/evidence cannot answer them",
  );
  expect(await row("task.answer", { criteria: [QUESTION], judge: "openai/j" })).toBe("pass: openai/j answers clear");
  const told = { probe: { checks: [CONTAINS, { id: "own", run: 'grep -q yes "$ABEVAL_EVIDENCE/answer.txt"' }] } };
  expect(await row("task.answer", { task: told })).toBe("pass: yes (answer_contains), own (run)");
});

test("checks that are no commands stand in the rows of checks, and nothing of a sandbox is asked for", async () => {
  const checks = [
    CONTAINS,
    { id: "no", answer_lacks: "never" },
    { id: "shape", answer_matches: "/^y/" },
    { id: "json", answer_json: { type: "string" } },
    { id: "reads", called: { tool: "read_file" } },
    { id: "leaves", changed: { paths: ["**"], max: 0 } },
  ];
  const report = await diagnoseFile(answering({ task: { probe: { checks }, reference_answer: '"yes"' } }));
  const told = Object.fromEntries(ofScenario(report).map(({ id, status, detail }) => [id, `${status}: ${detail}`]));
  expect(told).toMatchObject({
    "probe.before": "pass: 6 of 6 checks declare `before`, and match it",
    "probe.discriminates": "pass: 4 of 6 fail on the untouched fixture",
    "probe.stable": "pass: each gave the same result in two runs",
    "reference.applies": "pass: the scenario has no reference_fix",
    "models.sandbox": "pass: not needed: nothing in this scenario can run a command",
  });
  expect(told["reference.passes"]).toBe("fail: shape: the answer does not contain /^y/");
  expect(troubles(report)["task.answer"]).toBeUndefined();
});
