import { expect, test } from "bun:test";
import { prepareSelfTest, priceTag } from "../../src/comparison/audit/prepare-self-test.ts";
import { SelfTests } from "../../src/comparison/audit/self-tests.ts";
import { answerSpecimens } from "../../src/comparison/audit/specimens.ts";
import { startSelfTest } from "../../src/comparison/audit/start-self-test.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { SelfTest } from "../../src/domain/self-test.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playScript } from "../fake-provider/play-script.ts";
import { testServices } from "../harness.ts";
import { type Slot, wellFormed } from "../judge/mock-judge.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

const REFERENCE =
  "# Tides\n\n- **The moon** pulls the sea.\n- The sun helps.\n\nTwo floods a day follow: the earth turns.";

const TIDES = (task: string, tools = "[]") => `name: tides
task:
  prompt: Explain the tides.
${task}
arms:
  - {id: plain, model: scripted/x, system_prompt: You are brief., tools: ${tools}, script: [{say: The moon.}]}
  - {id: loud, extends: plain, system_prompt: You shout.}
rubric:
  criteria: [{id: right, question: Is it right?}, {measure: answer_words}]
`;

const WITH_REFERENCE = TIDES(`  reference_answer: ${JSON.stringify(REFERENCE)}`);

async function tested(yaml: string, score: (slot: Slot) => number) {
  await using folder = await scenarioFolder({ "tides.yaml": yaml });
  const loaded = await loadScenarioFile(folder.path("tides.yaml"));
  const judge = (request: unknown) =>
    wellFormed(request as never, (slot, ids) => Object.fromEntries(ids.map((id) => [id, score(slot)])));
  await using server = await startFakeProvider({ reply: playScript({ scriptOf: () => undefined, judge }) });
  // A sandbox that is not there: answers need none.
  const services = { ...testServices(server.environment, { sandbox: "none" }), self_tests: new SelfTests() };
  const plan = await prepareSelfTest(services, loaded, { judge_model: "openai/j" });
  const { done } = await startSelfTest(services, loaded, { judge_model: "openai/j" }, new AbortController().signal);
  return { self_test: await done, requests: server.requests.length, tag: priceTag(plan) };
}

const gradesOf = ({ parts, verdict }: SelfTest) => [...parts.map((part) => part.verdict), verdict];

const isWhole = ({ evidence }: Slot) => evidence.includes("the earth turns");
const HONEST = (slot: Slot) => (isWhole(slot) ? 4 : 1);

test("an honest judge of answers passes, within the calls that were promised", async () => {
  const { self_test, requests, tag } = await tested(WITH_REFERENCE, HONEST);
  expect(gradesOf(self_test)).toEqual(["pass", "pass", "pass", "pass", "pass"]);
  expect(self_test.parts.map(({ trials }) => [...new Set(trials.map(({ a, b }) => `${a} ${b}`))])).toEqual([
    ["reference empty", "reference other_task"],
    ["reference half"],
    ["reference copy"],
    ["claimed_review copy", "padding_sentences copy", "other_markup copy", "other_whitespace copy"],
  ]);
  expect(tag).toStartWith("asks openai/j 112 to 480 times");
  expect(requests).toBe(112);
});

test.each([
  ["sees positions only", ({ index }: Slot) => (index === 0 ? 4 : 1), ["fail", "fail", "pass", "pass", "fail"]],
  [
    "believes claims",
    (slot: Slot) => (slot.evidence.includes("experts") ? 4 : isWhole(slot) ? 2 : 1),
    ["pass", "pass", "pass", "fail", "fail"],
  ],
  [
    "likes bread",
    (slot: Slot) => (slot.evidence.includes("bread") ? 4 : isWhole(slot) ? 2 : 1),
    ["fail", "pass", "pass", "pass", "fail"],
  ],
  ["finds all alike", () => 2, ["fail", "fail", "pass", "pass", "fail"]],
] as const)("a judge of answers is found out that %s", async (_how, score, grades) => {
  const { self_test } = await tested(WITH_REFERENCE, score);
  expect(gradesOf(self_test)).toEqual([...grades]);
});

test("the part that failed names what was preferred", async () => {
  const { self_test } = await tested(WITH_REFERENCE, (slot) =>
    slot.evidence.includes("bread") ? 4 : isWhole(slot) ? 2 : 1,
  );
  expect(self_test.parts[0]?.note).toBe(
    "it missed the known good work in 5 of 10 judgings, against an answer to another task, which it preferred in 5 (range 14% to 86%)",
  );
});

test("without a known answer it says what it cannot examine, and asks nothing", async () => {
  const { self_test, requests } = await tested(TIDES("  setup: []"), HONEST);
  expect(gradesOf(self_test)).toEqual(["skip", "skip", "skip", "skip", "warn"]);
  expect(self_test.parts[0]?.note).toContain("the scenario has no reference_answer: whether the judge tells a good");
  expect(requests).toBe(0);
});

test("beside files it says that answers are not examined", async () => {
  const fix = `  fixture: {files: {a.txt: "x\\n"}}
  reference_fix: {files: {a.txt: "the earth turns\\n"}}
  deliverable: {answer: true, files: [a.txt]}`;
  const { self_test } = await tested(TIDES(fix, "[write_file]"), HONEST);
  expect(self_test.parts.map(({ note }) => note.split("; ").at(-1))).toEqual(
    Array(4).fill("how it reads answers is not examined: the scenario has no reference_answer"),
  );
});

test("JSON is reworded by its white space alone, and stays the same JSON", () => {
  const { edited } = answerSpecimens('{"a": [1, 2]}');
  expect(edited.map(({ name }) => name)).toEqual(["other_whitespace"]);
  expect(JSON.parse(edited[0]?.final_answer ?? "")).toEqual({ a: [1, 2] });
});

test("half of an answer ends with a word, and a short answer has none", () => {
  expect(answerSpecimens(REFERENCE).half?.final_answer).toBe("# Tides\n\n- **The moon** pulls the sea.\n- The sun");
  expect(answerSpecimens("The total is 42.").half).toBeUndefined();
});
