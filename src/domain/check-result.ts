import type { CheckResult } from "./evidence.ts";
import { cut } from "./excerpt.ts";

/** Whether it has neither passed nor given a number. */
export const isMissed = ({ status }: Pick<CheckResult, "status">): boolean => status === "fail" || status === "error";

/** Whether it gives a number that is neither pass nor failure. */
export const isNumberAlone = ({ score, min_score }: Pick<CheckResult, "score" | "min_score">): boolean =>
  score !== undefined && min_score === undefined;

/** What it adds to the score of the hidden checks, of its weight. */
export const checkValue = ({ status, score }: CheckResult): number => score ?? (status === "pass" ? 1 : 0);

/** Sums of fractions differ by some billionths. */
const SAME_SCORE = 1e-9;

/** Whether both passed or neither did, with the same number where they have one. */
export const isSameResult = (one: CheckResult, other: CheckResult): boolean =>
  (one.status === "pass") === (other.status === "pass") && Math.abs(checkValue(one) - checkValue(other)) <= SAME_SCORE;

/** Characters of what a check says of its result. */
const WHY_CHARS = 500;

/** What a check says of its result, as far as it is kept. */
export const keptWhy = (text: string): string => cut(text.trim(), WHY_CHARS - 3);

/** How a hidden check came out. One that could not run, or ran out of time, has failed nothing. */
export function resultWord({
  status,
  could_not_run,
  score,
}: Pick<CheckResult, "status" | "could_not_run" | "score">): string {
  if (could_not_run !== undefined) return "could not run";
  const number = score === undefined ? "" : checkScoreText(score);
  const passed = number === "" ? "passed" : `passed with ${number}`;
  return { pass: passed, fail: "failed", error: "no result", scored: `scored ${number}` }[status];
}

/** A number from 0 to 1 as a check's row shows it. */
export const checkScoreText = (score: number): string => String(Number(score.toFixed(3)));

/** `3 of 4`; where no check passes or fails, what they score. */
export const passedOf = ({
  passed,
  total,
  score,
  checks,
}: {
  readonly passed: number;
  readonly total: number;
  readonly score: number;
  readonly checks: readonly unknown[];
}): string => (total === 0 && checks.length > 0 ? `score ${checkScoreText(score)}` : `${passed} of ${total}`);

/** Why it came out so: what it lacked, why it is no pass, and what it says itself. Empty where there is nothing to say. */
export const whyText = ({
  could_not_run,
  reason,
  why,
}: {
  readonly could_not_run?: string | undefined;
  readonly reason: string | null;
  readonly why?: string | undefined;
}): string =>
  [could_not_run ?? reason, why].filter((part) => part !== undefined && part !== null && part !== "").join(": ");
