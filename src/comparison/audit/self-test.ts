import type { SelfTest, SelfTestPart, SelfTestPartId, SelfTestTrial } from "../../domain/self-test.ts";
import { SELF_TEST_PARTS } from "../../domain/self-test.ts";
import { sumKnown } from "../../domain/usage.ts";
import { allOrNone } from "../judge/all-or-none.ts";
import type { Case, JudgedArm } from "../judge/judge.ts";
import { pendingArm } from "../session/pending-arm.ts";
import { answerSpecimens } from "./answer-specimens.ts";
import { gradePart, gradeWhole } from "./grade.ts";
import { REPEATS, type SelfTestPlan, type SelfTestWork } from "./prepare-self-test.ts";
import { gatherSpecimens, type Specimen, type Specimens } from "./specimens.ts";

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
