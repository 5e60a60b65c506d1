import type { Arm } from "../../../domain/arm.ts";
import { ownPrompts, type Task } from "../../../domain/task.ts";
import type { Problems } from "../authored/problems.ts";
import type { ScenarioFile } from "../authored/scenario-file.ts";

/**
 * Adds a problem for an arm that nobody asks anything, for a text that nobody reads, and for a judge that would see no task.
 * @param arms null: they have problems of their own
 */
export function checkPrompts(
  problems: Problems,
  { task, rubric }: Pick<ScenarioFile, "task" | "rubric">,
  arms: readonly Arm[] | null,
): void {
  const own = arms === null ? 0 : ownPrompts(arms).length;
  const areAllOwn = own === arms?.length;
  for (const field of ["prompt", "question"] as const) {
    if (task[field]?.trim() === "") problems.add(["task", field], "must not be blank");
  }
  if (areAllOwn !== (task.prompt === undefined))
    problems.add(["task", "prompt"], areAllOwn ? PROMPT_UNREAD : "missing; expected text, or a `prompt` in each arm");
  if (arms === null || own > 0 !== (task.question === undefined)) return;
  if (own === 0) problems.add(["task", "question"], QUESTION_UNREAD);
  else if (problems.sound(["rubric"]) && rubric.criteria.some(isQuestion))
    problems.add(["task", "question"], QUESTION_MISSING);
}

const PROMPT_UNREAD = "nobody reads it: each arm has a `prompt` of its own; take it out, or call it `question`";
const QUESTION_UNREAD =
  "nobody reads it: no arm has a `prompt` of its own, so that a judge reads task.prompt; take it out";
const QUESTION_MISSING =
  "missing; expected text: what is asked of both arms. A judge reads it, since it sees no arm's `prompt`";

const isQuestion = (criterion: ScenarioFile["rubric"]["criteria"][number]): boolean =>
  typeof criterion === "string" || criterion.question !== undefined;

/** The prompt is empty where each arm has its own and there is no question, or after a problem. */
export const askedOf = ({ prompt, question }: ScenarioFile["task"]): Pick<Task, "prompt" | "question"> => ({
  prompt: prompt ?? question ?? "",
  ...(question !== undefined && { question }),
});

/** Where each arm has a prompt of its own, the task is known by its question, else by the title. */
export const withPrompt = (task: Task, { name, title = name }: Pick<ScenarioFile, "name" | "title">): Task =>
  task.prompt === "" ? { ...task, prompt: title } : task;
