import { RE2JS } from "re2js";
import { isAnswering } from "../../../domain/answering.ts";
import type { Arm } from "../../../domain/arm.ts";
import { MAX_EVIDENCE_TOKENS } from "../../../domain/defaults.ts";
import { mcpToolName, splitMcpToolName } from "../../../domain/mcp-tool-name.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import { panelProblem } from "../../../domain/panel.ts";
import type { Budget, Policies } from "../../../domain/policies.ts";
import { regexOf } from "../../../domain/regex-of.ts";
import type { Criterion, Measure, Rubric } from "../../../domain/rubric.ts";
import type { ReplayConfig, Scenario } from "../../../domain/scenario.ts";
import { givesNumber, type Task } from "../../../domain/task.ts";
import { isToolName } from "../../../domain/tool.ts";
import type { Problems } from "../authored/problems.ts";
import type { CriterionFile, RubricFile, ScenarioFile } from "../authored/scenario-file.ts";
import type { TaskFile } from "../authored/task-file.ts";
import { checkArmFiles } from "./arm-files.ts";
import { resolveArms } from "./arms.ts";
import type { ResolveContext } from "./context.ts";
import { checkPattern } from "./globs.ts";
import { assignIds, checkDistinct, slugOf } from "./ids.ts";
import { resolvePolicies } from "./policies.ts";
import { checkPrompts, withPrompt } from "./prompts.ts";
import { checkListeners, resolveTask, withAnswer } from "./task.ts";

/**
 * The scenario with every file and default resolved, or null when there are problems. An area is resolved only when its own
 * shape is sound, so that a mistake in one area does not hide those in another. `file` may hold anything elsewhere.
 */
export async function resolveScenario(
  context: ResolveContext,
  file: ScenarioFile,
  stem: string | undefined,
): Promise<Scenario | null> {
  const { problems } = context;
  const areas = await resolveAreas(context, file);
  if (stem !== undefined && problems.sound(["name"]) && file.name !== stem)
    problems.add(["name"], `is "${file.name}" but the file's name begins with "${stem}"; they must be equal`);
  checkTogether(problems, file, areas);
  checkSeries(problems, file, areas);
  if (areas.arms) await checkArmFiles(context, file.arms, areas);
  const { task, arms, policies, rubric, replay } = areas;
  if (problems.found.length > 0 || !task || !arms || !policies || !rubric) return null;
  return {
    name: file.name,
    title: file.title ?? file.name,
    description: file.description ?? "",
    tags: file.tags ?? [],
    varies: file.varies ?? null,
    task: withPrompt(file.task.deliverable === undefined ? withAnswer(task, arms) : task, file),
    arms: arms as Scenario["arms"], // the schema counted them
    policies,
    rubric,
    ...(replay && { replay }),
  };
}

/** Adds a problem for a control that is no arm, and for a measure that the task cannot give. */
function checkSeries(problems: Problems, { measure, control }: ScenarioFile, { task, arms }: Areas): void {
  if (control !== undefined && arms && !arms.some(({ id }) => id === control))
    problems.add(["control"], `there is no arm "${control}"; the arms are ${arms.map(({ id }) => id).join(" and ")}`);
  if (measure === "score" && task && !task.probe?.checks.some(givesNumber))
    problems.add(["measure"], "score needs a check with `score: true` in task.probe; there is none");
  if (measure === "solved" && task && !task.probe?.checks.some(({ required }) => required))
    problems.add(["measure"], "solved needs a check with `required: true` in task.probe; there is none");
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

/** Resolves once what all rows write alike, so that they share it. */
async function resolveOnce<T>({ areas }: ResolveContext, authored: object, resolve: () => Promise<T> | T): Promise<T> {
  const before = areas.get(authored) as T | undefined; // each object is of one area
  if (before !== undefined) return before;
  const resolved = await resolve();
  areas.set(authored, resolved);
  return resolved;
}

const NO_POLICIES: NonNullable<ScenarioFile["policies"]> = {};

/** Adds the problems that lie between two areas. */
function checkTogether(problems: Problems, file: ScenarioFile, { task, arms, policies, rubric }: Areas): void {
  if (arms && policies) {
    checkBudgets(problems, policies.budget, arms);
    checkRequiredTools(problems, policies, arms);
  }
  if (task && arms) checkListeners(problems, task, arms);
  if (task) checkPrompts(problems, file, arms);
  if (task && rubric) checkMeasures(problems, file.rubric, file.task);
}

/** Adds a problem for each measure whose part of the task is missing: it would be unknown for both arms. */
function checkMeasures(problems: Problems, { criteria }: RubricFile, task: TaskFile): void {
  const needs: Partial<Record<Measure, "probe" | "reference_fix">> = {
    probe_score: "probe",
    reference_fix: "reference_fix",
  };
  for (const [index, criterion] of criteria.entries()) {
    const measure = typeof criterion === "string" ? undefined : criterion.measure;
    const needed = measure === undefined ? undefined : needs[measure];
    if (needed !== undefined && task[needed] === undefined)
      problems.add(["rubric", "criteria", index, "measure"], `${measure} needs task.${needed}, which is missing`);
  }
}

/** Adds a problem for each limit that is wider than the budget. */
function checkBudgets(problems: Problems, budget: Budget, arms: readonly Arm[]): void {
  for (const [index, arm] of arms.entries())
    for (const [name, limit] of Object.entries(arm.limits))
      checkLimit(problems, ["arms", index, "limits", name], limit, budget);
}

function checkLimit(
  problems: Problems,
  path: readonly (string | number)[],
  limit: number | null,
  budget: Budget,
): void {
  const name = String(path.at(-1));
  const allowed: unknown = Reflect.get(budget, name);
  if (limit !== null && typeof allowed === "number" && limit > allowed)
    problems.add(
      path,
      `${limit} is more than policies.budget.${name} (${allowed}); a limit can only tighten the budget`,
    );
}

/** Adds a problem for each required behaviour for which an arm has no tool. */
function checkRequiredTools(problems: Problems, policies: Policies, arms: readonly Arm[]): void {
  for (const [index, { tool }] of policies.required.entries()) {
    if (!isToolName(tool) && !splitMcpToolName(tool)) continue;
    const without = arms.find((arm) => !hasTool(arm, tool));
    if (without !== undefined)
      problems.add(["policies", "required", index, "tool"], `arm "${without.id}" does not have the tool ${tool}`);
  }
}

/** Whether a server has a tool is known when it runs, unless the arm lists the ones it wants. */
function hasTool(arm: Arm, name: string): boolean {
  const { tools, agent, mcp = [], ran } = arm;
  if (ran !== undefined || isAnswering(arm)) return true;
  if (isToolName(name)) return agent !== undefined || tools.includes(name);
  return mcp.some(({ name: server, tools: wanted }) =>
    wanted ? wanted.some((tool) => mcpToolName(server, tool) === name) : splitMcpToolName(name)?.server === server,
  );
}

/** Literal text becomes a pattern that matches it. Meaningless after a problem. */
function resolveReplay(problems: Problems, { ignore = [] }: NonNullable<ScenarioFile["replay"]>): ReplayConfig {
  for (const [index, text] of ignore.entries()) checkPattern(problems, ["replay", "ignore", index], text);
  return { ignore: ignore.map((text) => regexOf(text) ?? RE2JS.quote(text)) };
}

type CriterionMap = Exclude<CriterionFile, string>;

/** Score gap (-1..1) up to which two arms count as equal. */
const TIE_MARGIN = 0.05;

/** The rubric with every default in place. */
function resolveRubric(problems: Problems, { instructions, tie_margin, criteria, judge = {} }: RubricFile): Rubric {
  const maps = criteria.map((criterion) => (typeof criterion === "string" ? { question: criterion } : criterion));
  for (const [index, criterion] of maps.entries()) checkKind(problems, index, criterion);
  checkDistinct(
    problems,
    ["rubric", "criteria"],
    maps.map(({ id }) => id),
  );
  if (maps.every(({ weight }) => weight === 0))
    problems.add(["rubric", "criteria"], "every weight is 0, so nothing would decide; give one a weight above 0");
  const model = [judge.model ?? []].flat().join(",") || null;
  checkJudge(problems, model, judge.price_per_mtok !== undefined);
  const ids = assignIds(maps.map((map, index) => ({ given: map.id, proposed: proposedId(map, index) })));
  return {
    instructions: instructions ?? "",
    tie_margin: tie_margin ?? TIE_MARGIN,
    criteria: maps.map((map, index) => resolveCriterion(map, ids[index] ?? "")),
    judge: {
      model,
      probe_visibility: judge.probe_visibility ?? "shown",
      max_evidence_tokens: judge.max_evidence_tokens ?? MAX_EVIDENCE_TOKENS,
      ...(judge.price_per_mtok && { price_per_mtok: { cached_in: null, ...judge.price_per_mtok } }),
    },
  };
}

function checkJudge(problems: Problems, model: string | null, priced: boolean): void {
  const path = ["rubric", "judge", "model"];
  const judges = model === null ? [] : judgesNamed(model);
  const problem = judges.length > 1 ? panelProblem(judges) : undefined;
  if (problem !== undefined) problems.add(path, problem);
  else if (priced && judges.length !== 1)
    problems.add(
      path,
      `${judges.length === 0 ? "missing" : "several"}; price_per_mtok beside it is the price of one model`,
    );
}

function checkKind(problems: Problems, index: number, { question, measure, anchors }: CriterionMap): void {
  const path = ["rubric", "criteria", index];
  if (question === undefined && measure === undefined)
    problems.add(path, "needs a question (scored by the judge) or a measure (scored by code)");
  else if (question !== undefined && measure !== undefined)
    problems.add(path, "has both a question (scored by the judge) and a measure (scored by code); keep one");
  else if (measure !== undefined && anchors !== undefined)
    problems.add([...path, "anchors"], "anchors explain a question's scores; a measure is scored by code");
  else if (question?.trim() === "") problems.add([...path, "question"], "must not be blank");
}

const proposedId = ({ question, measure }: CriterionMap, index: number) =>
  measure === undefined ? slugOf(question ?? "", `criterion-${index + 1}`) : measure.replaceAll("_", "-");

function resolveCriterion({ question, measure, weight = 1, anchors = {} }: CriterionMap, id: string): Criterion {
  return measure === undefined
    ? { id, kind: "judged", question: question ?? "", weight, anchors }
    : { id, kind: "measured", measure, weight };
}
