import { type Static, Type } from "@sinclair/typebox";
import { Arm, Probe, ReferenceFix, Scenario, ScriptTurn, Task } from "../../domain/scenario.ts";
import { Count, nullable, record } from "../../domain/schema.ts";

const { probe: _probe, reference_fix: _reference, ...openTask } = Task.properties;
const { script: _script, ...openArm } = Arm.properties;
const { task: _task, arms: _arms, ...openScenario } = Scenario.properties;

/** A scenario without what would give its solution away: probe, reference and the scripts that arms replay. */
export const ScenarioView = record("ScenarioView", {
  ...openScenario,
  task: record("TaskView", {
    ...openTask,
    probe_checks: Count("Hidden checks that the arms' work must pass."),
    has_reference_fix: Type.Boolean(),
  }),
  arms: Type.Array(record("ArmView", openArm), { minItems: 2, maxItems: 2 }),
  hidden: Type.Optional(
    record(
      "HiddenParts",
      {
        probe: nullable(Probe),
        reference_fix: nullable(ReferenceFix),
        scripts: Type.Record(Type.String(), Type.Array(ScriptTurn), { description: "By arm id; scripted arms only." }),
      },
      { description: "Only when asked for." },
    ),
  ),
});
export type ScenarioView = Static<typeof ScenarioView>;

export function viewScenario(scenario: Static<typeof Scenario>, includeHidden: boolean): ScenarioView {
  const { task, arms, ...rest } = scenario;
  const { probe, reference_fix, ...shownTask } = task;
  return {
    ...rest,
    task: {
      ...shownTask,
      probe_checks: probe?.checks.length ?? 0,
      has_reference_fix: reference_fix !== null,
    },
    arms: arms.map(({ script: _, ...arm }) => arm),
    ...(includeHidden && { hidden: hiddenParts(scenario) }),
  };
}

const hiddenParts = ({ task: { probe, reference_fix }, arms }: Static<typeof Scenario>) => ({
  probe,
  reference_fix,
  scripts: Object.fromEntries(arms.flatMap(({ id, script }) => (script === null ? [] : [[id, script]]))),
});
