import {
  type Grade,
  SELF_TEST_PARTS,
  type SelfTest,
  type SelfTestPart,
  type SelfTestPartId,
  type SelfTestTrial,
} from "../../domain/self-test.ts";
import { sumKnown } from "../../domain/usage.ts";
import { allOrNone } from "../judge/all-or-none.ts";
import type { Case, JudgedArm } from "../judge/judge.ts";
import { pendingArm } from "../session/stored-arm.ts";
import { REPEATS, type SelfTestPlan, type SelfTestWork } from "./prepare-self-test.ts";
import { answerSpecimens, gatherSpecimens, type Specimen, type Specimens } from "./specimens.ts";

type SelfTestResult = Pick<SelfTest, "parts" | "calls" | "cost_usd"> & {
  readonly verdict: NonNullable<SelfTest["verdict"]>;
};

/**
 * Judges evidence of which the right answer is known. Gates are off: no check ran and no rule was broken.
 * @throws Failure as `gatherSpecimens` does, `provider_failed` when the judge cannot be reached; the signal's reason when it
 * fires.
 */
export async function runSelfTest(
  plan: SelfTestPlan,
  redact: (text: string) => string,
  signal: AbortSignal,
): Promise<SelfTestResult> {
  const { work, loaded } = plan;
  if (typeof work === "string") return resultOf(SELF_TEST_PARTS.map((id) => skipped(id, work)));
  const { known } = work;
  const specimens =
    "answer" in known
      ? answerSpecimens(known.answer)
      : await gatherSpecimens({ loaded, redact, ...known }, known.patch, signal);
  const parts = SELF_TEST_PARTS.map((id) => async (either: AbortSignal) => {
    const trials = await Promise.all(pairsOf(id, specimens).map((pair) => judgePair(plan, work, pair, either)));
    const { verdict, note } = gradePart(id, trials);
    return { id, trials, verdict, note: work.unexamined === null ? note : `${note}; ${work.unexamined}` };
  });
  return resultOf(await allOrNone(parts, signal));
}

type SpecimenPair = readonly [a: Specimen, b: Specimen];

function pairsOf(id: SelfTestPartId, { worse, reference, edited }: Specimens): readonly SpecimenPair[] {
  const copy = { ...reference, name: "copy" };
  const against = (others: readonly Specimen[]) =>
    Array.from({ length: REPEATS }, (_, index): SpecimenPair => [reference, others[index % others.length] ?? copy]);
  if (id === "reference_against_nop") return against(worse);
  return id === "same_evidence" ? against([copy]) : edited.map((one) => [one, copy]);
}

async function judgePair(
  plan: SelfTestPlan,
  { chosen, each_usd }: SelfTestWork,
  [a, b]: SpecimenPair,
  signal: AbortSignal,
): Promise<SelfTestTrial> {
  const { name, task, policies, rubric, arms } = plan.scenario;
  const arm = (specimen: Specimen): JudgedArm => ({
    // No session has it; nothing of the verdict is stored.
    pointer: { session_id: "session-self-test-00010101T000000000Z", arm_id: specimen.name },
    summary: {
      ...pendingArm(arms[0]),
      ...{ arm_id: specimen.name, title: specimen.name, model: "scripted/specimen", status: "finished" },
      ...{ final_answer: specimen.final_answer, changes: specimen.changes },
    },
    decisions: [],
  });
  const kase: Case = {
    ...{ scenario: name, scenario_digest: plan.loaded.digest, kind: "run", task, policies, rubric },
    ...{ a: arm(a), b: arm(b), flags: [] },
    ...(each_usd !== undefined && { left_usd: each_usd }),
  };
  const { outcome, winner, lean, calls, usage, flags } = await chosen.judge(kase, signal);
  const asked = calls.length > 0;
  return {
    ...{ a: a.name, b: b.name, outcome: asked ? outcome : null, winner, lean },
    flags: flags.filter((flag) => flag !== "single_trial" && flag !== "no_objective_check"),
    calls: calls.length,
    cost_usd: usage.cost_usd,
  };
}

const skipped = (id: SelfTestPartId, note: string): SelfTestPart => ({ id, verdict: "skip", note, trials: [] });

function resultOf(parts: readonly SelfTestPart[]): SelfTestResult {
  const trials = parts.flatMap((part) => part.trials);
  return {
    parts: [...parts],
    calls: trials.reduce((sum, { calls }) => sum + calls, 0),
    cost_usd: sumKnown(trials.map(({ cost_usd }) => cost_usd)),
    verdict: gradeWhole(parts),
  };
}

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
