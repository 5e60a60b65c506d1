import type { NamedCheck } from "./functions.ts";

/** Whether this is the first number of a check of which nobody said that it gives one; it is one of the graded from then on. */
export function gradesFirst({ id, score }: NamedCheck, graded: Set<string>, given: unknown): boolean {
  if (score !== undefined || graded.has(id) || typeof readMark(given).mark === "boolean") return false;
  graded.add(id);
  return true;
}

/**
 * What a check found, in the form in which abeval is told it.
 * @param given null: there is no answer to look at
 * @param graded ids of checks that give a number
 * @throws TypeError for what is no mark
 */
export function markedBy({ id }: NamedCheck, graded: ReadonlySet<string>, given: unknown): object {
  const { mark, why } = given === null ? UNANSWERED : readMark(given);
  if (graded.has(id)) return { score: Number(mark), ...why };
  if (typeof mark === "boolean") return { pass: mark, ...why };
  throw new TypeError(`check ${id} returned a number, and says score: false`);
}

const UNANSWERED = { mark: false, why: { why: "there is no answer" } };

function readMark(given: unknown): { mark: boolean | number; why?: { why: string } } {
  if (typeof given === "boolean") return { mark: given };
  if (typeof given === "number") return { mark: numberOf(given) };
  const { pass, score, why } = (typeof given === "object" ? given : {}) as Record<string, unknown>;
  const told = why !== undefined && { why: { why: String(why) } };
  if (typeof pass === "boolean") return { mark: pass, ...told };
  if (typeof score === "number") return { mark: numberOf(score), ...told };
  const what = given === undefined ? "nothing" : `a value of type ${typeof given}`;
  throw new TypeError(`the check returned ${what}; return true, false, a number, {pass} or {score}`);
}

function numberOf(given: number): number {
  if (given >= 0 && given <= 1) return given;
  throw new TypeError(`the check returned ${given}; a number is from 0 to 1`);
}
