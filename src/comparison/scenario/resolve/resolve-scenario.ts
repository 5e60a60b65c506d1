import { RE2JS } from "re2js";
import type { Arm } from "../../../domain/arm.ts";
import type { Policies } from "../../../domain/policies.ts";
import { regexOf } from "../../../domain/regex-of.ts";
import type { Rubric } from "../../../domain/rubric.ts";
import type { ReplayConfig, Scenario } from "../../../domain/scenario.ts";
import type { Task } from "../../../domain/task.ts";
import type { Problems } from "../authored/problems.ts";
import type { ScenarioFile } from "../authored/scenario-file.ts";
import { checkArmFiles } from "./arm-files.ts";
import { checkBudgets, resolveArms } from "./arms.ts";
import { type ResolveContext, resolveOnce } from "./context.ts";
import { checkListeners } from "./conversation.ts";
import { withAnswer } from "./deliverable.ts";
import { checkPattern } from "./pattern.ts";
import { checkRequiredTools, resolvePolicies } from "./policies.ts";
import { checkMeasures, resolveRubric } from "./rubric.ts";
import { resolveTask } from "./task.ts";

/**
 * The scenario with every file and default resolved, or null when there are problems. An area is resolved only when its own
 * shape is sound, so that a mistake in one area does not hide those in another. `file` may hold anything elsewhere.
 */
export async function resolveScenario(
  context: ResolveContext,
  file: ScenarioFile,
  stem: string,
): Promise<Scenario | null> {
  const { problems } = context;
  const areas = await resolveAreas(context, file);
  if (problems.sound(["name"]) && file.name !== stem)
    problems.add(["name"], `is "${file.name}" but the file's name begins with "${stem}"; they must be equal`);
  checkTogether(problems, file, areas);
  if (areas.arms) await checkArmFiles(context, file.arms, areas);
  const { task, arms, policies, rubric, replay } = areas;
  if (problems.found.length > 0 || !task || !arms || !policies || !rubric) return null;
  return {
    name: file.name,
    title: file.title ?? file.name,
    description: file.description ?? "",
    tags: file.tags ?? [],
    varies: file.varies ?? null,
    task: file.task.deliverable === undefined ? withAnswer(task, arms) : task,
    arms: arms as [Arm, Arm], // the schema counted them
    policies,
    rubric,
    ...(replay && { replay }),
  };
}

interface Areas {
  readonly task: Task | null;
  readonly arms: readonly Arm[] | null;
  readonly policies: Policies | null;
  readonly rubric: Rubric | null;
  readonly replay: ReplayConfig | undefined;
}

async function resolveAreas(context: ResolveContext, file: ScenarioFile): Promise<Areas> {
  const { problems } = context;
  const { policies = NO_POLICIES } = file;
  // Asked first, since resolving adds problems that say nothing about the shape of another area.
  const [taskSound, armsSound, policiesSound, rubricSound, replaySound] = (
    ["task", "arms", "policies", "rubric", "replay"] as const
  ).map((area) => problems.sound([area]));
  return {
    task: taskSound ? await resolveTask(context, file.task) : null,
    arms: armsSound ? await resolveOnce(context, file.arms, () => resolveArms(context, file.arms)) : null,
    policies: policiesSound ? await resolveOnce(context, policies, () => resolvePolicies(problems, policies)) : null,
    rubric: rubricSound ? await resolveOnce(context, file.rubric, () => resolveRubric(problems, file.rubric)) : null,
    replay: replaySound && file.replay ? resolveReplay(problems, file.replay) : undefined,
  };
}

const NO_POLICIES: NonNullable<ScenarioFile["policies"]> = {};

/** Adds the problems that lie between two areas. */
function checkTogether(problems: Problems, file: ScenarioFile, { task, arms, policies, rubric }: Areas): void {
  if (arms && policies) {
    checkBudgets(problems, policies.budget, arms);
    checkRequiredTools(problems, policies, arms);
  }
  if (task && arms) checkListeners(problems, task, arms);
  if (task && rubric) checkMeasures(problems, file.rubric, file.task);
}

/** Literal text becomes a pattern that matches it. Meaningless after a problem. */
function resolveReplay(problems: Problems, { ignore = [] }: NonNullable<ScenarioFile["replay"]>): ReplayConfig {
  for (const [index, text] of ignore.entries()) checkPattern(problems, ["replay", "ignore", index], text);
  return { ignore: ignore.map((text) => regexOf(text) ?? RE2JS.quote(text)) };
}
