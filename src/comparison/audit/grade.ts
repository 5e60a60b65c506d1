import type { Grade, SelfTest, SelfTestPart, SelfTestPartId, SelfTestTrial } from "../../domain/self-test.ts";

type Graded = Pick<SelfTestPart, "verdict" | "note">;

/** What the trials of a part say of the judge. A trial that is not asked, or has no usable answer, proves nothing. */
export function gradePart(id: SelfTestPartId, trials: readonly SelfTestTrial[]): Graded {
  const usable = trials.filter(({ outcome }) => outcome !== null && outcome !== "invalid");
  if (trials.length === 0) return { verdict: "skip", note: "there is nothing to show the judge" };
  if (usable.length === 0)
    return trials.some(({ outcome }) => outcome === "invalid")
      ? { verdict: "fail", note: "the judge gave no usable answer" }
      : { verdict: "warn", note: "the cost limit left nothing for it" };
  const graded = GRADERS[id](usable);
  const missing = trials.length - usable.length;
  if (missing === 0 || graded.verdict === "fail") return graded;
  return { verdict: "warn", note: `${graded.note}; ${missing} of ${trials.length} without a usable answer` };
}

const GRADERS: Readonly<Record<SelfTestPartId, (trials: readonly SelfTestTrial[]) => Graded>> = {
  reference_against_nop: (trials) => {
    const [right, wrong] = [won(trials, "a"), won(trials, "b")];
    if (wrong > 0)
      return fail(`it preferred ${worseIn(trials.filter(({ b, winner }) => winner === b))} in ${outOf(wrong, trials)}`);
    const leaned = trials.filter(({ a, lean }) => lean === a).length;
    if (right + leaned === 0) return fail(blindness(trials));
    if (right < trials.length) return warn(`it preferred the known good work in only ${outOf(right, trials)}`);
    return pass(`it preferred the known good work in ${outOf(right, trials)}`);
  },
  same_evidence: (trials) => {
    const winners = trials.filter(({ winner }) => winner !== null).length;
    const pulled = trials.filter(({ outcome }) => outcome === "inconsistent").length;
    if (winners > 0) return fail(`it named a winner between two copies in ${outOf(winners, trials)}`);
    if (pulled > 0) return warn(`the order of presentation decided in ${outOf(pulled, trials)}`);
    return pass(`it named no winner between two copies in ${outOf(trials.length, trials)}`);
  },
  harmless_edits: (trials) => {
    const names = (some: readonly SelfTestTrial[]) => some.map(({ a }) => a).join(", ");
    const swayed = trials.filter(({ a, winner }) => winner === a);
    const moved = trials.filter(({ winner, lean, a }) => winner !== null || lean === a);
    if (swayed.length > 0) return fail(`a harmless edit won: ${names(swayed)}`);
    if (moved.length > 0) return warn(`harmless edits moved it: ${names(moved)}`);
    return pass(`nothing of it made a winner: ${names(trials)}`);
  },
};

/** How the judge missed that one side does the task and the other nothing. */
function blindness(trials: readonly SelfTestTrial[]): string {
  const all = (outcome: SelfTestTrial["outcome"]) => trials.every((trial) => trial.outcome === outcome);
  if (all("inconsistent")) return `only the order of presentation decided in ${outOf(trials.length, trials)}`;
  if (all("tie")) return `it found the known good work and ${worseIn(trials)} alike in ${outOf(trials.length, trials)}`;
  return `it preferred the known good work in none of ${trials.length} trials`;
}

/** What lost to the reference, or should have. */
const WORSE: Readonly<Record<string, string>> = {
  nop: "the untouched fixture",
  empty: "an empty answer",
  cut: "the first third of the reference answer",
  other_task: "an answer to another task",
};

const worseIn = (trials: readonly SelfTestTrial[]) => [...new Set(trials.map(({ b }) => WORSE[b] ?? b))].join(" and ");

const won = (trials: readonly SelfTestTrial[], side: "a" | "b") =>
  trials.filter((trial) => trial.winner === trial[side]).length;

const outOf = (count: number, { length }: readonly SelfTestTrial[]) => `${count} of ${length} trials`;

const graded =
  (verdict: Grade) =>
  (note: string): Graded => ({ verdict, note });
const [pass, warn, fail] = [graded("pass"), graded("warn"), graded("fail")];

/** The gravest of all parts. A test in which nothing was tested is no pass. */
export function gradeWhole(parts: readonly Pick<SelfTestPart, "verdict">[]): NonNullable<SelfTest["verdict"]> {
  const found = (verdict: Grade) => parts.some((part) => part.verdict === verdict);
  if (found("fail")) return "fail";
  return found("warn") || !found("pass") ? "warn" : "pass";
}
