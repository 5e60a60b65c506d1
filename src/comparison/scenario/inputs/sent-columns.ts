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
 * and a check that is posted may read any, so that beside one those alone are sent which the task shows.
 */
export function sentColumns(file: ScenarioFile, columns: readonly string[]): readonly string[] {
  const judged = namesAt(file, JUDGED);
  const asked = namesAt(file, ASKED);
  const isHidden = (name: string) => judged.has(name) || (readsRows(file) && !asked.has(name));
  return columns.filter((name) => !isHidden(name) && !criteriaText(file).includes(`\`${name}\``));
}

function readsRows({ task }: ScenarioFile): boolean {
  const checks: unknown = task?.probe?.checks;
  const reads = (check: unknown) =>
    typeof check === "string" || ["run", "posted"].some((kind) => Object.hasOwn(Object(check), kind));
  return Array.isArray(checks) && checks.some(reads);
}

const criteriaText = ({ rubric }: ScenarioFile): string => JSON.stringify(rubric ?? null);
