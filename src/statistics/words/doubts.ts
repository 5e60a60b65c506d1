import { memberName, memberWord } from "../../domain/member.ts";
import { counted } from "../../domain/number-text.ts";
import { plainText } from "../../domain/plain-text.ts";
import type { EarlierTrials } from "../../domain/series.ts";
import type { SkillCount } from "../../domain/series-arm.ts";
import { SIDES } from "../../domain/verdict.ts";
import { copiesOf, countsOf, type Findings, missingForClaim, totalMissing } from "../claim/findings.ts";
import { conclusionOf } from "../claim/sequential-test.ts";
import { distinctRuns, missingBy } from "../claim/tally.ts";
import { evidenceText, limitText } from "../figure-text.ts";
import { modelChangesOf } from "../summary/model-changes.ts";
import { crashedOf } from "../summary/reliability.ts";
import { skillsOf } from "../summary/skills.ts";
import { storedRunsTold } from "./baseline.ts";

interface Known {
  readonly findings: Findings;
  readonly earlier: readonly (EarlierTrials | null)[];
  readonly mixed: boolean;
  readonly failed_self_tests: readonly string[];
}

/** What a reader should know before relying on what was found. */
export function doubtsOf({ findings, earlier, mixed, failed_self_tests }: Known): readonly string[] {
  return [
    ...failedJudge(findings, failed_self_tests),
    ...followedOrder(findings),
    ...(findings.subject.told.kind === "results" ? unpaired(findings) : missing(findings)),
    ...givenUp(findings),
    ...storedRunsTold(findings),
    ...crashes(findings),
    ...skillsRead(findings),
    ...fragile(findings),
    ...(mixed ? ["Single scenarios disagree: each arm is preferred in at least one of them."] : []),
    ...copies(findings),
    ...fewWays(findings),
    ...changes(findings),
    ...others(findings, earlier),
    ...repeated(findings),
    ...(findings.subject.scripted ? ["These trials replay scripts; they say nothing about a model."] : []),
  ];
}

function failedJudge({ subject }: Findings, failed: readonly string[]): readonly string[] {
  if (failed.length === 0) return [];
  return [
    `Judge ${subject.judge_model} failed its self-test on ${namesText(failed)}, so its preferences there show little.`,
  ];
}

/** They count as trials without a winner, and a reader would take them for arms that are alike. */
function followedOrder({ subject, sequential }: Findings): readonly string[] {
  const { wins, ties, losses } = sequential.counts;
  const trials = wins + ties + losses;
  // The verdict of a single run says it.
  if (sequential.inconsistent === 0 || trials === 1) return [];
  return [
    `In ${sequential.inconsistent} of ${counted(trials, "trial")} judge ${subject.judge_model} followed the order in which the runs were shown; these count as trials without a winner, and do not show that the arms are alike.`,
  ];
}

function missing(findings: Findings): readonly string[] {
  const total = totalMissing(findings);
  if (total === 0) return [];
  const { invalid, failed, cancelled, deleted } = countsOf(findings);
  const by = missingBy(findings.tallies, findings.subject.measure);
  const { arms } = findings.subject;
  const parts = [
    [failed, "failed or interrupted"],
    [invalid, "without a usable judgement"],
    [cancelled, "cancelled"],
    [deleted, "deleted"],
    [by.a, `ended by ${arms.a}'s run`],
    [by.b, `ended by ${arms.b}'s run`],
    [by.both, "ended by both runs"],
  ] as const;
  const told = parts.flatMap(([count, what]) => (count === 0 ? [] : count === total ? what : `${count} ${what}`));
  return [`${counted(total, "trial")} gave no result (${told.join(", ")}).`];
}

/** Results of which there is only one of a pair, and pairs that are in no complete round. */
function unpaired(findings: Findings): readonly string[] {
  const { subject, tallies, sequential } = findings;
  const total = totalMissing(findings);
  const { held } = countsOf(findings);
  const by = missingBy(tallies, subject.measure);
  const lacks = [
    [by.a, subject.arms.a],
    [by.b, subject.arms.b],
    [by.both, "both"],
  ] as const;
  const told = lacks.flatMap(([count, who]) => (count === 0 ? [] : `${count} of ${who}`));
  const given = subject.scenarios.filter((_, place) => tallies[place]?.counted.length === 0).map(memberName);
  return [
    ...(total === 0 ? [] : [`In ${counted(total, "trial")} a result is missing (${told.join(", ")}).`]),
    ...(given.length === 0
      ? []
      : [
          `${counted(given.length, "scenario")} without a pair of results (${namesText(given)}) ${given.length === 1 ? "is" : "are"} left out of the average.`,
        ]),
    ...(held === 0
      ? []
      : [
          `${counted(held, "trial")} beyond ${counted(sequential.log_e.length, "round")} ${held === 1 ? "is" : "are"} not used: some scenario has no more trials, and each counts the same.`,
        ]),
  ];
}

function givenUp({ tallies }: Findings): readonly string[] {
  const count = tallies.filter(({ given_up }) => given_up).length;
  if (count === 0) return [];
  return [
    `${counted(count, "row")} ${count === 1 ? "is" : "are"} given up: nothing is known of ${count === 1 ? "it" : "them"} in some rounds.`,
  ];
}

/** A crash is a result, and a reader takes it for less of the arm's work than it looks. */
function crashes({ rows, subject }: Findings): readonly string[] {
  return SIDES.flatMap((side) => {
    const found = crashedOf(rows, side);
    if (!found) return [];
    return `The agent of ${subject.arms[side]} crashed in ${found.crashed} of ${counted(found.trials, "trial")}.`;
  });
}

/** Skills of an arm that have a sentence. */
const TOLD_SKILLS = 3;

/** A skill that is not read cannot have helped. */
function skillsRead({ rows, subject }: Findings): readonly string[] {
  return SIDES.flatMap((side) => {
    const saidByLog = rows.some(({ arms }) => arms[side].by_log) ? ", as its log says" : "";
    return skillsOf(rows, side)
      .slice(0, TOLD_SKILLS)
      .map((skill) => {
        const often = `${skill.fired === 0 ? "none" : skill.fired} of ${counted(skill.trials, "trial")}`;
        return `${subject.arms[side]} read the skill ${plainText(skill.name)} in ${often}${saidByLog}${groupsText(skill)}.`;
      });
  });
}

function groupsText({ solved_fired, solved_silent }: SkillCount): string {
  const groups = [
    ["with it", solved_fired],
    ["without it", solved_silent],
  ] as const;
  const told = groups.flatMap(([how, { solved, trials }]) => (trials === 0 ? [] : `${how} ${solved} of ${trials}`));
  return told.length === 0 ? "" : `; required checks passed ${told.join(", ")}`;
}

function fragile(findings: Findings): readonly string[] {
  const { sequential, subject } = findings;
  if (!sequential.fragile || !sequential.claim || sequential.reversed) return [];
  const other = subject.arms[sequential.claim.side === "a" ? "b" : "a"];
  const total = missingForClaim(findings);
  return [
    `No preference is stated: it would not stand if the ${counted(total, "missing trial")} had gone to ${other}.`,
  ];
}

/** When all scenarios do, that is the finding. */
function copies({ sequential, subject }: Findings): readonly string[] {
  const repeating = subject.scenarios.filter((_, index) => sequential.repeats[index]).map(memberName);
  if (repeating.length === 0 || (repeating.length === sequential.repeats.length && !sequential.claim)) return [];
  return [
    `In ${repeating.length} of ${counted(sequential.repeats.length, memberWord(subject.scenarios))} (${namesText(repeating)}) all trials are identical in what the models said and called.`,
  ];
}

/** A statement mentions more trials than so many to each that differs. */
const MANY_ALIKE = 3;

/** They may be chance's own: they are told, and count. */
function fewWays({ subject, sequential, tallies }: Findings): readonly string[] {
  const few = tallies.flatMap((tally, place) => {
    const trials = tally.counted.length;
    const ways = trials > MANY_ALIKE ? distinctRuns(tally) : null;
    if (ways === null || sequential.repeats[place] || ways * MANY_ALIKE >= trials) return [];
    return `${ways} of ${trials}${subject.scenarios.length > 1 ? ` of ${subject.scenarios.slice(place, place + 1).map(memberName)}` : ""}`;
  });
  if (few.length === 0) return [];
  return [`Few trials differ in what the models said and called (${namesText(few)}); the others repeat one of these.`];
}

function repeated(findings: Findings): readonly string[] {
  const copies = findings.pool?.copies ?? copiesOf(findings).size;
  if (copies === 0) return [];
  if (findings.subject.told.kind === "results")
    return [
      `No scenario of this table has another result in another trial: ${counted(copies, "trial")} ${copies === 1 ? "looks" : "look"} like copies, and each scenario counts once.`,
    ];
  return [
    `Among all stored trials ${copies} ${copies === 1 ? "repeats" : "repeat"} another one, by its seed or its recording; such copies count once.`,
  ];
}

/** A statement is read by people, and a suite has up to 100 scenarios. */
const SHOWN_NAMES = 3;

function namesText(names: readonly string[]): string {
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : "";
  return names.slice(0, SHOWN_NAMES).join(", ") + more;
}

function changes(findings: Findings): readonly string[] {
  const [first, ...others] = modelChangesOf(findings);
  if (!first) return [];
  const who = first.who === "judge" ? "the judge" : findings.subject.arms[first.who];
  const more = others.length === 0 ? "" : `, and ${counted(others.length, "further change")}`;
  return [
    `From trial ${first.trial} of ${memberName(first)}, another model served ${who}${more}: the trials are not all comparable.`,
  ];
}

/** When they take the conclusion away, that is the finding. */
function others(findings: Findings, earlier: readonly (EarlierTrials | null)[]): readonly string[] {
  const { subject, pool } = findings;
  const known = earlier.filter((one) => one !== null);
  const [only] = known;
  if (!only || !pool) return [];
  if (findings.conclusion !== conclusionOf(findings.sequential)) return [];
  if (subject.scenarios.length > 1)
    return [
      `${counted(known.length, "scenario")} had other trials of the same comparison; the entry of each shows the evidence with them.`,
    ];
  const { alpha } = subject.told.levels;
  const needed = pool.sequential.claim && only.e_with_this < 1 / alpha ? "needed, which was reached before" : "needed";
  return [
    `With the ${counted(only.trials, "other trial")} of this comparison, the evidence is ${evidenceText(only.e_with_this, alpha)} (${limitText(alpha)} ${needed}).`,
  ];
}
