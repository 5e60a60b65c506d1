import { clustersText } from "../domain/cluster.ts";
import { counted, countText, percentText } from "../domain/number-text.ts";
import { distanceText, signedPoints } from "../domain/points-text.ts";
import type { Series } from "../domain/series.ts";
import type { Decider, Side } from "../domain/verdict.ts";
import { type ArmNames, armWord, say, type Word, type Words } from "../domain/words.ts";
import { confidenceText } from "./figure-text.ts";

type Result = NonNullable<Series["result"]>;

/** What the first line is made of; a summary that stands in a verdict has as much. */
export interface Resulted extends Pick<Series, "result" | "levels" | "decided_by" | "control" | "state" | "imported"> {
  readonly names: ArmNames;
}

/** The side of the arm that all words are about. */
export const candidateSide = (names: ArmNames, control: string): Side => (names.a === control ? "b" : "a");

export const otherSide = (side: Side): Side => (side === "a" ? "b" : "a");

/**
 * The first line about a series in every door: how the candidate did, how the control did, how far they are apart, and the range
 * that is valid at every look.
 */
export function firstLine({ result, names, state, ...known }: Resulted): Words {
  const side = candidateSide(names, known.control);
  const [candidate, control] = [armWord(names, side), armWord(names, otherSide(side))];
  if (!result) {
    const yet = state === "running" ? " yet" : "";
    return say`${candidate} against ${control}: no pair of trials counts${yet}`;
  }
  return FIRST[result.measure](result, { ...known, candidate, control });
}

interface Told extends Pick<Series, "levels" | "decided_by" | "imported"> {
  readonly candidate: Word;
  readonly control: Word;
}

const FIRST: Readonly<Record<Result["measure"], (result: Result, told: Told) => Words>> = {
  solved: (result, told) => {
    const { candidate, control } = told;
    if (result.clusters) {
      const { candidate: own = 0, control: other = 0 } = result.value ?? {};
      return say`${candidate} solved ${percentText(own)} on average, ${control} ${percentText(other)}${inClusters(result)}: ${{ figure: distanceText(result.difference) }} ${rangeText(result, told)}`;
    }
    const of = (share = 0) => countText(Math.round(share * result.n));
    return say`${candidate} solved ${of(result.value?.candidate)} of ${countText(result.n)}, ${control} ${of(result.value?.control)} of ${countText(result.n)}: ${{ figure: distanceText(result.difference) }} ${rangeText(result, told)}`;
  },
  score: (result, told) => {
    const { candidate, control, imported } = told;
    const { n, ahead, behind } = result;
    const by = imported && imported.tie_margin > 0 && !result.clusters ? ` by more than ${imported.tie_margin}` : "";
    return say`${candidate} scored ${scoreText(result.value?.candidate)} on average, ${control} ${scoreText(result.value?.control)}${inClusters(result)}: ${{ figure: distanceText(result.difference) }} ${rangeText(result, told)}; better${by} in ${countText(ahead)} of ${countText(n)}, worse in ${countText(behind)}`;
  },
  preferred: (result, told) => {
    const { candidate, control, decided_by } = told;
    const { n, ahead, behind, difference, clusters } = result;
    const net = `net ${signedPoints(difference)} points`;
    const all = clusters ? clustersText(clusters) : counted(n, "trial");
    const by = clusters ? "" : byText(decided_by, ahead + behind);
    return say`${candidate} was preferred in ${countText(ahead)} of ${all} and ${control} in ${countText(behind)}${by}: ${{ figure: net }} ${rangeText(result, told)}`;
  },
};

const inClusters = ({ clusters }: Result): string => (clusters ? ` in ${clustersText(clusters)}` : "");

/** `.746`, as scores are written. */
const scoreText = (score = 0) => score.toFixed(3).replace(/^0/, "");

const rangeText = ({ low, high }: Result, { levels }: Told) =>
  `(${confidenceText(levels.alpha)} range ${signedPoints(low)} to ${signedPoints(high)}, valid at every look)`;

const BY: readonly (readonly [Decider, string])[] = [
  ["gate", "rules"],
  ["probe", "hidden checks"],
  ["judge", "the judge"],
  ["measured", "measured criteria"],
];

/** Who decided the trials that have a winner. Facts may decide that a trial has none, so that the numbers add up only at times. */
function byText(decided_by: Resulted["decided_by"], winners: number): string {
  const by = BY.map(([decider, name]) => ({ name, count: decided_by[decider] })).filter(({ count }) => count > 0);
  if (winners === 0 || by.length === 0) return "";
  if (by.length === 1) return ` (${winners === 1 ? "" : "all "}by ${by[0]?.name})`;
  const isWhole = by.reduce((sum, { count }) => sum + count, 0) === winners;
  if (!isWhole) return ` (by ${by.map(({ name }) => name).join(" and ")})`;
  return ` (${by.map(({ name, count }) => `${countText(count)} by ${name}`).join(", ")})`;
}

export type GateReason = NonNullable<Series["gate_reasons"]>[string];

interface Reasoned {
  readonly candidate: string;
  readonly control: string;
  /** Share that the candidate may be worse by. */
  readonly not_worse_by: number;
}

/** Points, as people say them: `10 points`. */
export const pointsOf = (share: number) => counted(Number((share * 100).toFixed(1)), "point");

/** Why a gate stays shut, as the end of a sentence, and how many pairs would open it for equal arms. */
export function gateReasonText({ because, needs }: GateReason, told: Reasoned): string {
  // A newer version may have added one.
  const why = Object.hasOwn(REASONS, because) ? REASONS[because](told) : because.replaceAll("_", " ");
  return needs === null
    ? why
    : `${why}; two equal arms would need ${countText(needs)} pairs to show that neither is ${pointsOf(told.not_worse_by)} worse`;
}

export const RESULTS_CHANGED = "results changed during the series (an arm, its model or its surroundings)";

const REASONS: Readonly<Record<GateReason["because"], (told: Reasoned) => string>> = {
  not_shown: ({ candidate, not_worse_by }) =>
    `these trials do not show that ${candidate} is less than ${pointsOf(not_worse_by)} worse`,
  worse: ({ candidate }) => `${candidate} is worse`,
  lapsed: () => "later trials took back what the first ones showed",
  means_disagree: ({ candidate }) => `${candidate} is ahead in more cases, and its mean is not higher`,
  results_changed: () => RESULTS_CHANGED,
  missing_trials: () => "the lead could be gone if the missing trials had gone to the other arm",
  other_trials_disagree: () => "all stored trials of this comparison together do not show it",
  judge_failed_self_test: () => "the judge failed its self-test",
  judge_kin: () => "the judge is of the same family as the arm that is ahead, and nothing else speaks for it",
  no_contrast: () => "both arms are the same in all that abeval knows of them",
  nothing_solved: () => "neither arm solved anything",
  few_pairs: () => "there are too few pairs",
  no_variation: () => "all trials are identical, so they count as one",
  checks_could_not_run: () => "a hidden check could not run",
  selected_baseline: () => "the stored runs were chosen by what they showed",
  single_run: () => "one run does not show how often this happens",
  control: ({ control }) => `${control} is the control`,
  cancelled: () => "the series was cancelled",
  inputs_from_checkout: () => "the author of the change could have written what was compared",
};
