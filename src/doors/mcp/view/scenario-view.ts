import { type Static, Type } from "@sinclair/typebox";
import { endpointText } from "../../../domain/answering-text.ts";
import { Arm } from "../../../domain/arm.ts";
import { MAX_ARMS } from "../../../domain/defaults.ts";
import { Scenario } from "../../../domain/scenario.ts";
import { Count, record } from "../../../domain/schema.ts";
import { Task } from "../../../domain/task.ts";
import { pick } from "./pick.ts";

const SCENARIO = ["name", "title", "description", "tags", "varies", "policies", "rubric"] as const;
const TASK = ["messages", "prompt", "question", "follow_ups", "fixture", "setup", "deliverable"] as const;
const ARM = ["id", "title", "model", "prompt", "system_prompt", "tools", "params", "limits", "price_per_mtok"] as const;

const ArmView = record("ArmView", {
  ...pick(Arm.properties, ARM),
  agent: Type.Optional(
    Type.String({
      description:
        "Who works in the place of abeval's own loop: an external agent, as `<recipe>@<install>` or its command; `endpoint <url>`; `program <command>`.",
    }),
  ),
});

/** A scenario without what would give its solution away: probe, reference and the scripts that arms replay. */
export const ScenarioView = record("ScenarioView", {
  ...pick(Scenario.properties, SCENARIO),
  task: record("TaskView", {
    ...pick(Task.properties, TASK),
    probe_checks: Count("Hidden checks that the arms' work must pass."),
    has_reference_fix: Type.Boolean(),
  }),
  arms: Type.Array(ArmView, { minItems: 2, maxItems: MAX_ARMS }),
  /** Present only when asked for: `probe`, `reference_fix` and scripts by arm id. The HTTP API's document describes the fields. */
  hidden: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type ScenarioView = Static<typeof ScenarioView>;

export function viewScenario(scenario: Static<typeof Scenario>, includeHidden: boolean): ScenarioView {
  const { probe, reference_fix } = scenario.task;
  return {
    ...pick(scenario, SCENARIO),
    task: {
      ...pick(scenario.task, TASK),
      probe_checks: probe?.checks.length ?? 0,
      has_reference_fix: reference_fix !== null,
    },
    arms: scenario.arms.map((arm) => {
      const agent = agentText(arm);
      return { ...pick(arm, ARM), ...(agent !== undefined && { agent }) };
    }),
    ...(includeHidden && { hidden: hiddenParts(scenario) }),
  };
}

function agentText({ agent, endpoint, program }: Arm): string | undefined {
  if (endpoint) return `endpoint ${endpointText(endpoint)}`;
  if (program) return `program ${program.run.join(" ")}`;
  return agent && (agent.command?.join(" ") ?? `${agent.use}@${agent.install}`);
}

const hiddenParts = ({ task: { probe, reference_fix }, arms }: Static<typeof Scenario>) => ({
  probe,
  reference_fix,
  scripts: Object.fromEntries(arms.flatMap(({ id, script }) => (script === null ? [] : [[id, script]]))),
  weighted_scripts: Object.fromEntries(
    arms.flatMap(({ id, scripts }) => (scripts === undefined ? [] : [[id, scripts]])),
  ),
});
