import { counted } from "../domain/counted.ts";
import type { EarlierTrials, Series } from "../domain/series.ts";
import { usdText } from "../domain/usd-text.ts";
import { DECIDERS, type Side } from "../domain/verdict.ts";
import { costsOf } from "./costs.ts";
import { type Claim, conclusionOf } from "./course.ts";
import { doubtsOf } from "./doubts.ts";
import { endOf } from "./ending.ts";
import { confidenceText, evidenceText, limitText, percentText } from "./figure-text.ts";
import { aheadOf, countedOf, decidersOf, evidenceOf, type Findings } from "./findings.ts";
import { winRateRange } from "./interval.ts";
import { scenariosText } from "./subject.ts";

export interface Told {
  readonly findings: Findings;
  /** Null where none was made. */
  readonly forecast: Pick<Series["forecast"], "trials_left" | "chance_of_claim" | "more_trials"> | null;
  /** By scenario; null where there are none. */
  readonly earlier: readonly (EarlierTrials | null)[];
}

/**
 * Plain sentences made from templates: what the trials show, why they ended, what limits the finding, what a trial cost.
 * They say that an arm was preferred, and never that it is the stronger one.
 */
export function statementOf(told: Told): string {
  const { findings } = told;
  if (findings.course.log_e.length === 0) return [nothing(findings), ...endOf(findings), ...doubtsOf(told)].join(" ");
  if (isOneRun(findings)) return [oneRun(findings), ...doubtsOf(told)].join(" ");
  return [...found(told), ...endOf(findings), ...doubtsOf(told), ...costs(findings)].join(" ");
}

const nothing = ({ subject }: Findings): string =>
  `No trial of ${scenariosText(subject)} counts${subject.told.state === "running" ? " yet" : ""}, so nothing can be said.`;

const isOneRun = ({ subject, rows, course }: Findings) =>
  subject.scenarios.length === 1 && course.log_e.length === 1 && (subject.told.limits?.trials ?? rows.length) === 1;

/** What one run shows is said in its verdict; here stands only that it is no series. */
function oneRun(findings: Findings): string {
  const { arms, scenarios, judge_model } = findings.subject;
  const { wins, losses } = findings.course.counts;
  const winner = arms[wins > 0 ? "a" : "b"];
  const by = decided(findings);
  const judged = by === "" ? `judge ${judge_model} preferred ${winner}` : `${winner} won${by}`;
  return `In this one trial of ${scenarios[0]?.scenario} ${wins + losses === 0 ? "no arm won" : judged}. One run per arm says nothing about how often this would happen.`;
}

function found(told: Told): readonly string[] {
  const { findings } = told;
  const { course } = findings;
  if (course.claim && course.reversed) return reversed(findings, course.claim);
  switch (conclusionOf(course)) {
    case "a_preferred":
    case "b_preferred":
      return course.claim ? claimed(findings, course.claim) : [];
    case "no_difference_above_margin":
      return equivalent(findings);
    case "undecided":
      return [...undecided(findings), ...forecast(told)];
  }
}

function claimed(findings: Findings, claim: Claim): readonly string[] {
  const { subject } = findings;
  const holds = logEvidenceOf(findings) >= -Math.log(subject.told.levels.alpha);
  const result = [won(findings), rate(findings), evidenceSentence(findings), ...scope(findings)];
  if (!holds) return [lapsed(findings, claim), ...result];
  return subject.told.limits?.stop_when_sure === false
    ? result
    : [...result, "Series that stop early tend to show too high a rate: rely on the range."];
}

/** The claim stays, and what came after it is shown. */
function lapsed(findings: Findings, claim: Claim): string {
  const { subject, course } = findings;
  const since = trialsSince(findings, claim.round);
  const { low, high } = winRateRange(course.counts, subject.told.levels.alpha);
  return `A preference for ${subject.arms[claim.side]} was established ${when(findings, claim.round)} (${score(findings, claim)}); with the ${counted(since, "trial")} since, the range ${rangeText(low, high)} includes 50%.`;
}

function reversed(findings: Findings, claim: Claim): readonly string[] {
  const { arms } = findings.subject;
  const other: Side = claim.side === "a" ? "b" : "a";
  return [
    `The trials contradict each other: they established a preference for ${arms[claim.side]} ${when(findings, claim.round)} (${score(findings, claim)}), and later one for ${arms[other]}. No preference can be stated; something may have changed between the trials.`,
    won(findings),
    rate(findings),
  ];
}

const score = ({ subject: { arms } }: Findings, { counts }: Claim) =>
  `${arms.a} ${counts.wins}, ${arms.b} ${counts.losses}`;

function equivalent(findings: Findings): readonly string[] {
  const { subject, course } = findings;
  const { alpha, margin } = subject.told.levels;
  const [least, most] = [0.5 - margin, 0.5 + margin];
  const { low, high } = winRateRange(course.counts, alpha);
  const many = subject.scenarios.length > 1;
  const average = many ? `, on average over these ${subject.scenarios.length} scenarios,` : "";
  const shown = `${subject.arms.a}'s win rate as judged by ${subject.judge_model}${average} lies within ${rangeText(least, most)}: no preference beyond the ${Number((margin * 100).toFixed(3))}-point margin`;
  const since = trialsSince(findings, course.equivalent_at ?? 0);
  const established =
    low > least && high < most
      ? `With ${confidenceText(alpha)} confidence ${shown}.`
      : `It was established ${when(findings, course.equivalent_at ?? 0)}, with ${confidenceText(alpha)} confidence, that ${shown}; with the ${counted(since, "trial")} since, the range is ${rangeText(low, high)}.`;
  return [established, ...(many ? ["Single scenarios may differ more."] : []), won(findings)];
}

function undecided(findings: Findings): readonly string[] {
  const { subject, course } = findings;
  const { wins, ties, losses } = course.counts;
  const { arms } = subject;
  return [
    `After ${counted(wins + ties + losses, "trial")} of ${scenariosText(subject)} (${arms.a} won ${wins}, ${arms.b} ${losses}, no winner ${ties}) no preference can be stated.`,
    rate(findings),
    evidenceSentence(findings),
    ...scope(findings),
  ];
}

function forecast({ findings, forecast: made }: Told): readonly string[] {
  const { stop } = findings.subject.told;
  if (!made || made.more_trials === null || stop === "out_of_reach" || stop === "unlikely") return [];
  const { trials_left, chance_of_claim } = made;
  const more = `If coming trials split the same way, about ${made.more_trials} more would`;
  if (!trials_left) return [`${more} do; where arms do not differ, such a forecast seldom comes true.`];
  const plan =
    made.more_trials > trials_left
      ? `${more} be needed; this plan has only ${trials_left} left.`
      : `${more} do; this plan has ${trials_left} left.`;
  if (chance_of_claim === null) return [plan];
  return [
    plan,
    `The chance that these establish a preference is ${percentText(chance_of_claim)}, by the trials so far.`,
  ];
}

/** Who won how many; who decided that, unless the judge decided all of it. */
function won(findings: Findings): string {
  const { subject, course } = findings;
  const { wins, ties, losses } = course.counts;
  const trials = counted(wins + ties + losses, "trial");
  const [ahead, behind] = wins >= losses ? (["a", "b"] as const) : (["b", "a"] as const);
  const none = ties === 0 ? "" : `; ${ties} had no winner`;
  const by = decided(findings);
  const [most, least] = [Math.max(wins, losses), Math.min(wins, losses)];
  if (by === "")
    return `Judge ${subject.judge_model} preferred ${subject.arms[ahead]} in ${most} of ${trials} of ${scenariosText(subject)} and ${subject.arms[behind]} in ${least}${none}.`;
  return `In ${trials} of ${scenariosText(subject)} ${subject.arms[ahead]} won ${most} and ${subject.arms[behind]} ${least}${none}${by}.`;
}

const BY = { gate: "rules", probe: "hidden checks", measured: "measured criteria", none: "nobody" };

/** Empty when the judge decided every trial that has a winner. */
function decided(findings: Findings): string {
  const winners = countedOf(findings).filter(({ d }) => d !== 0);
  const by = decidersOf(winners.map(({ row }) => row));
  if (by.judge === winners.length) return "";
  const deciders = DECIDERS.flatMap((decider) => {
    if (by[decider] === 0) return [];
    const name = decider === "judge" ? `judge ${findings.subject.judge_model}` : BY[decider];
    return winners.length === 1 ? name : `${name} ${by[decider]}`;
  });
  return deciders.length === 0 ? "" : ` (decided by ${deciders.join(", ")})`;
}

function rate({ subject, course }: Findings): string {
  const { wins, ties, losses } = course.counts;
  const { alpha } = subject.told.levels;
  const { low, high } = winRateRange(course.counts, alpha);
  const share = percentText((wins + ties / 2) / (wins + ties + losses));
  return `Win rate of ${subject.arms.a} ${share} (a trial without a winner counts half); ${confidenceText(alpha)} range ${rangeText(low, high)}, valid whenever the series is stopped.`;
}

const rangeText = (low: number, high: number) => `${percentText(low)} to ${percentText(high)}`;

const logEvidenceOf = ({ course }: Findings): number => course.log_e.at(-1) ?? 0;

function evidenceSentence(findings: Findings): string {
  const { alpha } = findings.subject.told.levels;
  return `Evidence ${evidenceText(evidenceOf(logEvidenceOf(findings)), alpha)} (${limitText(alpha)} needed).`;
}

/** Of a suite: that it is a mean, and of these scenarios alone. */
function scope(findings: Findings): readonly string[] {
  const { subject } = findings;
  if (subject.scenarios.length === 1) return [];
  const ahead = aheadOf(findings);
  const of = (side: Side) => `${subject.arms[side]} in ${ahead.filter((one) => one === side).length}`;
  return [
    `This is the average over these ${subject.scenarios.length} scenarios, with ${of("a")} and ${of("b")} of them ahead; it says nothing about others.`,
  ];
}

const trialsSince = ({ subject, course }: Findings, round: number) =>
  (course.log_e.length - round) * subject.scenarios.length;

const when = ({ subject }: Findings, round: number) =>
  subject.scenarios.length === 1 ? `at trial ${round}` : `with round ${round}`;

function costs({ subject, rows }: Findings): readonly string[] {
  const { a, b } = costsOf(rows).arms;
  if (!a.cost_usd.mean || !b.cost_usd.mean) return [];
  return [
    `One trial cost ${usdText(a.cost_usd.mean)} (${subject.arms.a}) and ${usdText(b.cost_usd.mean)} (${subject.arms.b}).`,
  ];
}
