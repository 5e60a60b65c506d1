import {
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
import { gradePart, gradeWhole, judgingsToMake } from "./grade-part.ts";
import type { SelfTestPlan, SelfTestWork } from "./prepare-self-test.ts";
import { answerSpecimens, gatherSpecimens, type Specimen, type Specimens } from "./specimens.ts";

type SelfTestResult = Pick<SelfTest, "parts" | "calls" | "cost_usd"> & {
  readonly verdict: NonNullable<SelfTest["verdict"]>;
};

/**
 * Judges evidence of which the right answer is known, in rounds, until each part tells whether the judge errs there. Gates are off:
 * no check ran and no rule was broken.
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
  const parts = SELF_TEST_PARTS.map((id): OpenPart => ({ id, pairs: pairsOf(id, specimens), trials: [] }));
  for (let left_usd = work.most_usd; ; ) {
    const round = affordable(roundOf(parts), work, left_usd);
    if (round.length === 0) break;
    const each = left_usd === undefined ? undefined : left_usd / round.length;
    const judging = round.map(
      ({ pair }) =>
        (either: AbortSignal) =>
          judgePair(plan, work, { pair, each }, either),
    );
    const trials = await allOrNone(judging, signal);
    for (const [index, trial] of trials.entries()) round[index]?.part.trials.push(trial);
    if (left_usd !== undefined) left_usd = Math.max(0, left_usd - spentBy(trials, each ?? 0));
  }
  return resultOf(parts.map((part) => graded(part, work)));
}

/** What a reply without token counts cost is not known: as much as its judging might. */
const spentBy = (trials: readonly SelfTestTrial[], each: number) =>
  trials.reduce((sum, { cost_usd }) => sum + (cost_usd ?? each), 0);

/** A part of which judgings are made. */
interface OpenPart {
  readonly id: SelfTestPartId;
  readonly pairs: readonly SpecimenPair[];
  readonly trials: SelfTestTrial[];
}

type SpecimenPair = readonly [a: Specimen, b: Specimen];

/** Half of some work may be no better than nothing: it is compared with the whole alone. */
function pairsOf(id: SelfTestPartId, { worse, reference, half, edited }: Specimens): readonly SpecimenPair[] {
  const copy = { ...reference, name: "copy" };
  if (id === "reference_against_nop") return worse.map((one) => [reference, one]);
  if (id === "half_of_reference") return half ? [[reference, half]] : [];
  return id === "same_evidence" ? [[reference, copy]] : edited.map((one) => [one, copy]);
}

interface Judging {
  readonly part: OpenPart;
  readonly pair: SpecimenPair;
}

/** The next judgings of every part, those of parts that have fewer first: money may not pay for all. */
function roundOf(parts: readonly OpenPart[]): readonly Judging[] {
  const places = parts.flatMap((part) => {
    const { id, pairs, trials } = part;
    return Array.from({ length: judgingsToMake(id, trials) }, (_, index) => {
      const place = trials.length + index;
      const pair = pairs[place % pairs.length];
      return pair ? [{ part, pair, place }] : [];
    }).flat();
  });
  return places.toSorted((one, other) => one.place - other.place);
}

/** The judgings that the money pays for; one at least, which ends the test where it does not. */
function affordable(round: readonly Judging[], { least_usd }: SelfTestWork, left_usd: number | undefined) {
  if (left_usd === undefined || least_usd === null || least_usd === 0) return round;
  return round.slice(0, Math.max(1, Math.floor(left_usd / least_usd)));
}

function graded({ id, trials }: OpenPart, { unexamined }: SelfTestWork): SelfTestPart {
  const { note, ...grade } = gradePart(id, trials);
  return { id, trials, ...grade, note: unexamined === null ? note : `${note}; ${unexamined}` };
}

async function judgePair(
  plan: SelfTestPlan,
  { chosen }: SelfTestWork,
  { pair: [a, b], each }: { readonly pair: SpecimenPair; readonly each: number | undefined },
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
    ...(each !== undefined && { left_usd: each }),
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
