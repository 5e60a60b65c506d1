import { Type } from "@sinclair/typebox";
import { record, Slug } from "../../../domain/schema.ts";
import { getScenario as operation } from "../../operation/reads.ts";
import { CLIPS, clipTexts, fullestThatFits } from "../fit.ts";
import { READS, tool } from "../tool.ts";
import { ScenarioView, viewScenario } from "../view/scenario-view.ts";

export const IncludeHidden = Type.Optional(
  Type.Boolean({
    description: "Also show hidden checks, reference fix and scripts of scripted arms. Default false.",
  }),
);

export const getScenario = tool("getScenario", {
  description:
    "The definition of one scenario: the task that both arms get, how the arms differ (prompt, model, tools, limits), policies, and the rubric that the judge scores. " +
    "Free and instant. Leave include_hidden false when you will write prompts for an arm: it gives the solution away. " +
    "Next: run_doctor to see whether it can run here, run_scenario to run it.",
  input: record("GetScenarioToolRequest", {
    name: Slug({ description: "From list_scenarios." }),
    include_hidden: IncludeHidden,
  }),
  output: ScenarioView,
  annotations: READS,
  live: false,
  async call(services, { name, include_hidden = false }, { signal }) {
    const view = viewScenario(await operation(services, { name }, signal), include_hidden);
    return fullestThatFits(CLIPS, (chars) => {
      const structured = clipTexts(view, chars);
      return { structured, text: scenarioText(structured), rest: JSON.stringify(untold(structured)) };
    });
  },
});

/** The view without the prompts, which the text holds already. */
const untold = ({
  task: { prompt: _p, question: _q, messages: _m, follow_ups: _f, ...task },
  arms,
  ...rest
}: ScenarioView) => ({
  ...rest,
  task,
  arms: arms.map(({ system_prompt: _s, prompt: _p, ...arm }) => arm),
});

function scenarioText({ name, title, task, arms, rubric, policies }: ScenarioView): string {
  const { max_turns, max_tokens, max_seconds } = policies.budget;
  return [
    `${name}: ${title}`,
    ...(task.messages ?? []).map(({ role, text }) => `Before, ${role}: ${text.trim()}`),
    `Task: ${(task.question ?? task.prompt).trim()}`,
    ...arms.flatMap(({ id, prompt }) => (prompt === undefined ? [] : [`Asked of ${id}: ${prompt.trim()}`])),
    ...(task.follow_ups ?? []).map((text, index) => `Follow-up ${index + 1}: ${text.trim()}`),
    ...arms.map((arm) => `Arm ${arm.id} (${arm.model}): ${arm.system_prompt.trim() || "no system prompt"}`),
    `Hidden checks: ${task.probe_checks}. Budget: ${max_turns} turns, ${max_tokens} tokens, ${max_seconds} s for each arm.`,
    "Criteria:",
    ...rubric.criteria.map((criterion) => {
      const asked = criterion.kind === "judged" ? criterion.question : `measured: ${criterion.measure}`;
      return `- ${criterion.id} (weight ${criterion.weight}): ${asked}`;
    }),
  ].join("\n");
}
