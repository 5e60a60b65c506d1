import { type Arm, canOnlyRead } from "../../../domain/arm.ts";
import { EVERYTHING } from "../../../domain/equal-work.ts";
import type { Task } from "../../../domain/task.ts";
import type { Problems } from "../authored/problems.ts";
import type { TaskFile } from "../authored/task-file.ts";
import { checkPathGlobs } from "./globs.ts";

type Deliverable = Pick<Task, "deliverable" | "answer">;

const ANSWER: Deliverable = { deliverable: [], answer: true };

/** What counts as the work. Left out: every file, until the arms are known. */
export function resolveDeliverable(problems: Problems, authored: TaskFile["deliverable"]): Deliverable {
  if (authored === undefined) return { deliverable: EVERYTHING as string[] };
  if (authored === "answer") return ANSWER;
  const files = Array.isArray(authored) ? authored : (authored.files ?? []);
  const path = ["task", "deliverable", ...(Array.isArray(authored) ? [] : ["files"])];
  checkPathGlobs(problems, path, files);
  if (Array.isArray(authored) && files.length === 0)
    problems.add(path, "with an empty list no change counts; leave it out to count everything, or write `answer`");
  return { deliverable: files, ...(!Array.isArray(authored) && { answer: true as const }) };
}

/** The task of a file that does not say what the work is: where no arm can write, it is the answer. */
export const withAnswer = (task: Task, arms: readonly Arm[]): Task =>
  arms.every(canOnlyRead) ? { ...task, ...ANSWER } : task;
