import { keptWhy } from "../../domain/check-result.ts";
import type { CheckResult } from "../../domain/evidence.ts";
import { cut } from "../../domain/excerpt.ts";
import type { ProbeCheck } from "../../domain/task.ts";

/** What a check that gives a number came to. */
type Scored = Pick<CheckResult, "status" | "reason" | "score" | "why">;

/**
 * The command of a check whose stdout is read: what it writes to stderr follows behind the mark, so that no warning stands where the
 * number should. Its exit code stays.
 */
export const scoringCommand = (run: string, mark: string): string =>
  `( ${run}\n) 2>"$TMPDIR/abeval-stderr"\nstatus=$?\nprintf '\\n%s\\n' '${mark}'\ntail -c ${STDERR_BYTES} "$TMPDIR/abeval-stderr" 2>/dev/null\nexit $status`;

/** Bytes of stderr that are kept: the end of stdout stays in sight. */
const STDERR_BYTES = 4_096;

/** What the command printed, in the order of `scoringCommand`. Without the mark it was stopped before its end. */
export function printedParts(output: string, mark: string): { readonly stdout: string; readonly all: string } {
  const at = output.lastIndexOf(`\n${mark}\n`);
  if (at === -1) return { stdout: output, all: output };
  const [stdout, stderr] = [output.slice(0, at), output.slice(at + mark.length + 2)];
  return { stdout, all: stderr === "" ? stdout : `${stdout.replace(/\n$/, "")}\n${stderr}` };
}

/** The number in the last line of stdout, and what the line before says of it. */
export function readScore(check: ProbeCheck, stdout: string): Scored {
  const lines = stdout.split("\n").filter((line) => line.trim() !== "");
  const last = lines.at(-1)?.trim() ?? "";
  const score = last.length <= NUMBER_CHARS && NUMBER.test(last) ? Number(last) : Number.NaN;
  if (last === "") return unread("it printed nothing to stdout");
  if (!(score >= 0 && score <= 1)) return unread(`the last line of its stdout is "${cut(last)}"`);
  return scored(check, score, lines.at(-2));
}

/** Longer ones would cost the pattern the square of their length. */
const NUMBER_CHARS = 64;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

const unread = (what: string): Scored => ({
  status: "error",
  reason: `gave no number: expected one from 0 to 1, and ${what}`,
  score: 0,
});

/** A number as the result that it is by `min_score`. @param score 0 to 1 */
export function scored({ min_score }: ProbeCheck, score: number, why: string | undefined): Scored {
  // Minus zero is zero.
  const number = { score: Math.abs(score), ...whyGiven(why) };
  if (min_score === undefined) return { ...number, status: "scored", reason: null };
  return score >= min_score
    ? { ...number, status: "pass", reason: null }
    : { ...number, status: "fail", reason: `${score} is less than ${min_score}` };
}

/** What it says of its result; nothing where it says nothing. */
export const whyGiven = (why = ""): Pick<CheckResult, "why"> => (why.trim() === "" ? {} : { why: keptWhy(why) });
