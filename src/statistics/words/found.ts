import { counted, percentText } from "../../domain/number-text.ts";
import type { Series } from "../../domain/series.ts";
import { isFinal } from "../../domain/session-state.ts";
import type { Side } from "../../domain/verdict.ts";
import { countedOf, evidenceOf, type Findings, rangeOfTest } from "../claim/findings.ts";
import { unitDifferences } from "../claim/means.ts";
import type { Pool } from "../claim/pool.ts";
import { type Claim, conclusionOf, isOnlyCopies, type SequentialTest } from "../claim/sequential-test.ts";
import { missingOf } from "../claim/tally.ts";
import { confidenceText, evidenceText, limitText } from "../figure-text.ts";
import { pointsOf } from "../first-line.ts";
import { moreText, wonText } from "../series-words.ts";
import { heldBack, isHeldBack } from "./baseline.ts";
import { type Subject, scenariosText } from "./subject.ts";

type Coming = Pick<Series["forecast"], "trials_left" | "chance_of_claim" | "more_trials">;

/** What the trials show, at least one of each scenario. @param coming null where none was made */
export function found(findings: Findings, coming: Coming | null): readonly string[] {
  const { sequential } = findings;
  if (sequential.claim && sequential.reversed) return reversed(findings, sequential.claim);
  if (isHeldBack(findings)) return [heldBack(findings), ...figures(findings)];
  if (findings.conclusion !== conclusionOf(sequential)) return [...unconfirmed(findings), ...figures(findings)];
  switch (findings.conclusion) {
    case "a_preferred":
    case "b_preferred":
      return sequential.claim ? claimed(findings, sequential.claim) : [];
    case "no_difference_above_margin":
      return equivalent(findings);
    case "undecided":
      // Why no claim is made of it stands among the doubts.
      if (sequential.claim) return noMore(findings, sequential.claim);
      return isOnlyCopies(sequential) ? copied(findings) : [...undecided(findings), ...forecast(findings, coming)];
  }
}

function claimed(findings: Findings, claim: Claim): readonly string[] {
  const { subject } = findings;
  const holds = (findings.sequential.log_e.at(-1) ?? 0) >= -Math.log(subject.told.levels.alpha);
  const result = figures(findings);
  if (!holds) return [lapsed(findings, claim), ...result];
  return subject.told.limits?.stop_when_sure === false
    ? result
    : [...result, "Series that stop early tend to show too large a preference: rely on the range."];
}

const noMore = (findings: Findings, claim: Claim): readonly string[] =>
  findings.sequential.stands ? figures(findings) : [lapsed(findings, claim), ...figures(findings)];

/** What the first line is worth, and of what it speaks. */
const figures = (findings: Findings): readonly string[] => [evidenceSentence(findings), ...scope(findings)];

/** Says that a suite's figure is a mean, and that of these scenarios alone. */
function scope(findings: Findings): readonly string[] {
  const { subject } = findings;
  if (subject.scenarios.length === 1) return [];
  const means = unitDifferences(findings);
  const count = (side: Side) => means.filter((mean) => (side === "a" ? mean > 0 : mean < 0)).length;
  return [
    `This is the average over ${scenariosText(subject)}; ${subject.arms.a} is ahead in ${count("a")} of them, ${subject.arms.b} in ${count("b")}. It says nothing about others.`,
  ];
}

const logEvidenceOf = ({ sequential }: Findings): number => sequential.log_e.at(-1) ?? 0;

function evidenceSentence(findings: Findings): string {
  const { alpha } = findings.subject.told.levels;
  return `Evidence ${evidenceText(evidenceOf(logEvidenceOf(findings)), alpha)} (${limitText(alpha)} needed).`;
}

/** A margin is a share of the win rate; the difference that it allows is twice as much. */
const marginText = (margin: number) => pointsOf(2 * margin);

/** The claim stays, and what came after it is shown. */
function lapsed(findings: Findings, claim: Claim): string {
  const { subject } = findings;
  const since = trialsSince(findings, claim.round);
  return `A preference for ${subject.arms[claim.side]} was established ${when(findings, claim.round)} (${score(findings, claim)}); with the ${counted(since, "trial")} since, the range includes 50%.`;
}

function reversed(findings: Findings, claim: Claim): readonly string[] {
  const { arms } = findings.subject;
  const other: Side = claim.side === "a" ? "b" : "a";
  return [
    `The trials contradict each other: they established a preference for ${arms[claim.side]} ${when(findings, claim.round)} (${score(findings, claim)}), and later one for ${arms[other]}. No preference can be stated; something may have changed between the trials.`,
    ...scope(findings),
  ];
}

const score = ({ subject: { arms } }: Findings, { counts }: Claim) =>
  `${arms.a} ${counts.wins}, ${arms.b} ${counts.losses}`;

function equivalent(findings: Findings): readonly string[] {
  const { subject, sequential } = findings;
  const { alpha, margin } = subject.told.levels;
  const [least, most] = [0.5 - margin, 0.5 + margin];
  const { low, high } = rangeOfTest(sequential, subject.levels);
  const many = subject.scenarios.length > 1;
  const average = many ? `, on average over ${scenariosText(subject)},` : "";
  const by = subject.told.kind === "results" ? "by the imported results" : `as judged by ${subject.judge_model}`;
  const shown = `${subject.arms.a} and ${subject.arms.b}${average} differ by less than the margin of ${marginText(margin)} ${by}`;
  const since = trialsSince(findings, sequential.equivalent_at ?? 0);
  const established =
    low > least && high < most
      ? `With ${confidenceText(alpha)} confidence ${shown}.`
      : `It was established ${when(findings, sequential.equivalent_at ?? 0)}, with ${confidenceText(alpha)} confidence, that ${shown}; with the ${counted(since, "trial")} since, the range goes beyond.`;
  return [established, ...(many ? ["Single scenarios may differ more."] : [])];
}

/** Their figures would look like evidence. */
function copied(findings: Findings): readonly string[] {
  const where = findings.subject.scenarios.length === 1 ? "" : " of each scenario";
  return [
    `All trials${where} are identical in what the models said and called: copies count as one observation, so nothing is concluded from them.`,
  ];
}

function undecided(findings: Findings): readonly string[] {
  const { subject, sequential } = findings;
  const { wins, ties, losses } = sequential.counts;
  const { arms } = subject;
  return [
    `After ${counted(wins + ties + losses, "trial")} of ${scenariosText(subject)} (${wonText(sequential.counts, arms)}) no preference can be stated.`,
    ...figures(findings),
  ];
}

function forecast({ subject }: Findings, coming: Coming | null): readonly string[] {
  const { stop } = subject.told;
  if (!coming || coming.more_trials === null || stop === "out_of_reach" || stop === "unlikely") return [];
  const { trials_left, chance_of_claim } = coming;
  const more = moreText(coming.more_trials);
  if (!trials_left) return [`${more} be enough; where arms do not differ, such a forecast seldom comes true.`];
  const plan =
    coming.more_trials > trials_left
      ? `${more} be needed; this plan has only ${trials_left} left.`
      : `${more} be enough; this plan has ${trials_left} left.`;
  if (chance_of_claim === null) return [plan];
  return [
    plan,
    `By the trials so far, the chance that these establish a preference is ${percentText(chance_of_claim)}.`,
  ];
}

const trialsSince = (findings: Findings, round: number) =>
  countedOf(findings).filter((trial) => trial.round > round).length;

const when = ({ subject }: Findings, round: number) =>
  subject.scenarios.length === 1 ? `at trial ${round}` : `with round ${round}`;

/** What the series alone would show, what all stored trials show, and that nothing is concluded for that. */
function unconfirmed({ subject, sequential, pool }: Findings): readonly string[] {
  if (pool === null) return [];
  const open = pool.tallies.flatMap(({ rows }) => rows).filter(({ state }) => !isFinal(state)).length;
  return [
    `Nothing is concluded: this series alone would ${shown(subject, sequential)}, but ${allText(subject, pool, open > 0)} together do not.`,
    ...storedFigures(subject, pool.sequential),
    ...against(subject, pool),
    ...(open === 0
      ? []
      : [
          `A trial counts only when those that began before it have ended: ${open} still ${open === 1 ? "runs" : "run"}.`,
        ]),
  ];
}

function allText({ scenarios }: Subject, { sequential }: Pool, isOpen: boolean): string {
  const trials = counted(sequential.log_e.length * scenarios.length, "stored trial");
  const of = scenarios.length === 1 ? "of this comparison" : "of these comparisons, in complete rounds,";
  return isOpen ? `the ${trials} ${of} that count so far` : `all ${trials} ${of}`;
}

function storedFigures({ arms, told }: Subject, { counts, log_e }: SequentialTest): readonly string[] {
  const last = log_e.at(-1);
  if (last === undefined) return [];
  const { alpha } = told.levels;
  return [
    `In those ${arms.a} won ${counts.wins}, ${arms.b} ${counts.losses}, and ${counts.ties} had no winner: evidence ${evidenceText(evidenceOf(last), alpha)} (${limitText(alpha)} needed).`,
  ];
}

function shown({ arms, told }: Subject, { claim }: SequentialTest): string {
  if (claim) return `establish a preference for ${arms[claim.side]}`;
  return `show no difference above the margin of ${marginText(told.levels.margin)}`;
}

/** What the figures do not tell. */
function against({ arms }: Subject, { sequential, tallies }: Pool): readonly string[] {
  const { claim } = sequential;
  if (sequential.reversed) return ["They established a preference for each arm in turn."];
  if (claim && sequential.fragile) {
    const missing = tallies.reduce((sum, tally) => sum + missingOf(tally), 0);
    const other = arms[claim.side === "a" ? "b" : "a"];
    return [
      `A preference would not stand if the ${counted(missing, "missing trial")} among them had gone to ${other}.`,
    ];
  }
  if (claim) return [`They establish a preference for ${arms[claim.side]}.`];
  return conclusionOf(sequential) === "undecided" ? [] : ["They show no difference above the margin."];
}
