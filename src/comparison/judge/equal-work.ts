import { isChanged, isSameWork } from "../../domain/equal-work.ts";
import type { CheckResult } from "../../domain/evidence.ts";
import { wholeAnswer } from "../../domain/session.ts";
import type { Side } from "../../domain/verdict.ts";
import type { Case } from "./judge.ts";

/**
 * Whether both arms left the same of what counts as the work. Where the answer is the work, or may be since neither arm changed
 * a file that counts, the answers must be the same, too; may be, unless no model has read them.
 */
export function isEqualWork({ a, b, task }: Pick<Case, "a" | "b" | "task">, model_asked: boolean): boolean {
  const { changes } = a.summary;
  const said_alike = wholeAnswer(a.summary) === wholeAnswer(b.summary);
  if (task.answer && !said_alike) return false;
  if (changes === null || !isSameWork(changes, b.summary.changes, task.deliverable)) return false;
  return !model_asked || isChanged(changes, task.deliverable) || said_alike;
}

/** A check by which chance told equal work apart, with what it gave for each arm: `pass`, or `fail, then pass`. */
export interface ChanceCheck extends Readonly<Record<Side, string>> {
  readonly id: string;
}

export function notRepeatable({ a, b }: Pick<Case, "a" | "b">): readonly ChanceCheck[] {
  const others = new Map(b.summary.probe?.not_repeatable?.map((check) => [check.id, check]));
  return (a.summary.probe?.not_repeatable ?? []).map((check) => ({
    id: check.id,
    a: resultsOf(check),
    b: resultsOf(others.get(check.id)),
  }));
}

function resultsOf(check: CheckResult | undefined): string {
  if (check === undefined) return "not run";
  return check.again === undefined ? check.status : `${check.status}, then ${check.again}`;
}
