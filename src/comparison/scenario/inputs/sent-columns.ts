import type { ScenarioFile } from "../authored/scenario-file.ts";
import { CHECKS, namesAt } from "./templates.ts";

/** What an arm is asked. */
const ASKED = [
  ["task", "prompt"],
  ["arms", "*", "prompt"],
  ["task", "messages", "*", "text"],
  ["task", "follow_ups", "*"],
  ["task", "fixture", "files", "*"],
];

/** What says which answer is good. */
const JUDGED = [
  ["task", "reference_answer"],
  ...["answer_contains", "answer_lacks"].flatMap((kind) => [
    [...CHECKS, kind],
    [...CHECKS, kind, "*"],
  ]),
  [...CHECKS, "answer_matches"],
  [...CHECKS, "output_matches"],
  ["rubric", "instructions"],
  ["rubric", "criteria", "*"],
  ["rubric", "criteria", "*", "question"],
  ["rubric", "criteria", "*", "anchors", "*"],
];

/**
 * The columns that an arm may be sent which answers by itself: none that a check, the reference answer or a criterion reads. A command
 * may read any, so that beside one those alone are sent which the task shows.
 */
export function sentColumns(file: ScenarioFile, columns: readonly string[]): readonly string[] {
  const judged = namesAt(file, JUDGED);
  const asked = namesAt(file, ASKED);
  const isHidden = (name: string) => judged.has(name) || (hasCommand(file) && !asked.has(name));
  return columns.filter((name) => !isHidden(name) && !criteriaText(file).includes(`\`${name}\``));
}

function hasCommand({ task }: ScenarioFile): boolean {
  const checks: unknown = task?.probe?.checks;
  const isCommand = (check: unknown) => typeof check === "string" || Object.hasOwn(Object(check), "run");
  return Array.isArray(checks) && checks.some(isCommand);
}

const criteriaText = ({ rubric }: ScenarioFile): string => JSON.stringify(rubric ?? null);
