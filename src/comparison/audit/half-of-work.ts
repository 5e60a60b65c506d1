import { compareLines, DiffEffort } from "../../domain/text-hunks.ts";
import type { EditedWork } from "./harmless-edits.ts";

/** A file as it is to be written. */
export interface WrittenFile {
  readonly path: string;
  readonly text: string;
}

/** Characters of the comparison of one file. */
const ROOM = 1_000_000;

/** Lines that a change takes away and puts in their place, behind so many lines of the text before. */
interface Step {
  readonly at: number;
  readonly old: readonly string[];
  readonly now: readonly string[];
}

/**
 * About half of the lines that some work changes: of each file the first ones. The other files are as they were. Empty where
 * there is no half.
 */
export async function halfOfWork(files: EditedWork["files"]): Promise<readonly WrittenFile[]> {
  const effort = new DiffEffort();
  const half: WrittenFile[] = [];
  let lines = 0;
  for (const { path, text, before } of files) {
    const { hunks } = await compareLines(before ?? "", text, { effort, room: ROOM });
    const steps = (hunks ?? []).flatMap(stepsOf);
    const until = lines + steps.reduce((sum, step) => sum + sizeOf(step), 0);
    // What rounding takes from one file the next one gets.
    const kept = Math.floor(until / 2) - Math.floor(lines / 2);
    if (kept > 0) half.push({ path, text: withFirst(kept, steps, before ?? "") });
    lines = until;
  }
  return half;
}

/** Runs of changed lines. */
function stepsOf({
  oldStart,
  lines,
}: {
  readonly oldStart: number;
  readonly lines: readonly string[];
}): readonly Step[] {
  const steps: { at: number; old: string[]; now: string[] }[] = [];
  let [at, isInside] = [oldStart - 1, false];
  for (const line of lines) {
    const sign = line.charAt(0);
    if (sign === "\\") continue;
    if (sign !== " " && !isInside) steps.push({ at, old: [], now: [] });
    isInside = sign !== " ";
    const step = steps.at(-1);
    if (sign === "-") step?.old.push(line.slice(1));
    if (sign === "+") step?.now.push(line.slice(1));
    if (sign !== "+") at += 1;
  }
  return steps;
}

const sizeOf = ({ old, now }: Step) => (now.length > 0 ? now.length : old.length);

function withFirst(count: number, steps: readonly Step[], before: string): string {
  const lines = before.split("\n");
  const parts: string[] = [];
  let [next, left] = [0, count];
  for (const step of steps) {
    const kept = Math.min(left, sizeOf(step));
    for (const line of lines.slice(next, step.at)) parts.push(line);
    for (const line of partOf(step, kept)) parts.push(line);
    next = step.at + step.old.length;
    left -= kept;
  }
  for (const line of lines.slice(next)) parts.push(line);
  return parts.join("\n");
}

function partOf({ old, now }: Step, kept: number): readonly string[] {
  if (kept === 0) return old;
  return now.length > 0 ? now.slice(0, kept) : old.slice(kept);
}
