import { expect, test } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { skillsUsed } from "../../src/comparison/session/run/conduct-arm.ts";
import type { Decision } from "../../src/domain/decision.ts";
import { runOnce, testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

const DATES = {
  name: "dates",
  text: "---\nname: dates\ndescription: How the house writes dates\n---\n# Dates\n\nThe year stands first, then a full stop.\n",
};

/** One call, its output, and whether it ended well. */
function call(tool: string, input: object, output: string, more: { ok?: boolean; skill?: string } = {}): Decision {
  const { ok = true, ...rest } = more;
  return {
    ...{ seq: 1, kind: "tool_call", summary: tool, tokens_in: 0, tokens_out: 0, latency_ms: 1 },
    detail: { tool, input: JSON.stringify(input), ok, exit_code: 0, output, bytes: output.length, ...rest },
  };
}

const path = "x/dates/SKILL.md";
const ran = (command: string, output: string, more = {}) => call("run_command", { command }, output, more);

const cases: readonly (readonly [string, Decision, readonly string[]])[] = [
  ["a file that was read", call("read_file", { path }, DATES.text, { skill: "dates" }), ["dates"]],
  [
    "a part of it, with numbers before its lines",
    ran(`nl ${path} | tail -2`, `7\tThe year stands first, then a full stop.`),
    ["dates"],
  ],
  ["a file in the directory of the command", ran("cd x/dates && cat SKILL.md", DATES.text), ["dates"]],
  ["all skills at once", ran("cat x/*/SKILL.md", DATES.text), ["dates"]],
  ["its name, printed", ran(`echo ${path}`, `${path}\n`, { skill: "dates" }), []],
  ["its name, printed by another program", ran(`python3 -c 'print("${path}")'`, `${path}\n`, { skill: "dates" }), []],
  [
    "its description, which a prompt tells",
    ran(`cat ${path} | head -3`, "name: dates\ndescription: How the house writes dates\n", { skill: "dates" }),
    [],
  ],
  ["a failed read", ran(`cat ${path}`, DATES.text, { ok: false, skill: "dates" }), []],
  [
    "a skill that the arm lacks",
    call("read_file", { path: "x/other/SKILL.md" }, "---\nname: other\n---\nAnother text of some words.\n", {
      skill: "other",
    }),
    [],
  ],
  [
    "an agent's own tool",
    call("Skill", { skill: "dates" }, "Launching skill: dates", { skill: "house:dates" }),
    ["house:dates"],
  ],
  [
    "an agent's own tool, for a skill that the arm lacks",
    call("Skill", { skill: "other" }, "Launching skill: other", { skill: "other" }),
    [],
  ],
];

test.each(cases)("%s is a use of the skill as far as the output shows it", async (_, decision, names) => {
  expect((await skillsUsed([decision], async () => [DATES])).map(({ name }) => name)).toEqual([...names]);
});

test("where nobody knows an arm's skills, its log is believed", async () => {
  const decision = call("Skill", { skill: "other" }, "Launching", { skill: "other" });
  expect(await skillsUsed([decision], undefined)).toEqual([{ name: "other", first_seq: 1, count: 1 }]);
});

test("nobody looks for skills where no call names one", async () => {
  expect(await skillsUsed([ran("ls", "x\n")], () => Promise.reject(new Error("asked")))).toEqual([]);
});

test("an arm that only names a skill has not shown it, one that reads it in the fixture has", async () => {
  const arm = (id: string, command: string) => ({
    ...{ id, model: "scripted/x" },
    script: [{ calls: [{ run_command: { command } }] }, { say: "Done." }],
  });
  const scenario = {
    name: "fired",
    task: { prompt: "Do it.", fixture: { files: { [path]: DATES.text } } },
    policies: { required: [{ id: "uses", skill: "dates" }], severity: { required: "disqualify" } },
    arms: [arm("names", `echo ${path}`), arm("reads", `cat ${path}`)],
    rubric: { criteria: [{ measure: "tokens" }], judge: { model: "builtin/evidence" } },
  };
  await using folder = await scenarioFolder({ "fired.yaml": JSON.stringify(scenario) });
  const { outcome } = await runOnce(testServices(), await loadScenarioFile(folder.path("fired.yaml")));
  expect(outcome.arms.map(({ required }) => required.map(({ met }) => met))).toEqual([[false], [true]]);
  expect(outcome.verdict).toMatchObject({ winner: "reads", decided_by: "gate", confidence: "low" });
  expect(outcome.verdict?.flags).toContain("equal_work");
});
