import { counted, countText, percentText } from "../../domain/number-text.ts";
import { DECIDERS, type Side } from "../../domain/verdict.ts";
import { aheadOf, countedOf, decidersOf, evidenceOf, type Findings } from "../claim/findings.ts";
import { winRateRange } from "../claim/interval.ts";
import { confidenceText, evidenceText, limitText } from "../figure-text.ts";
import { scenariosText } from "./subject.ts";

/** Who won how many; who decided that, unless the judge decided all of it. */
export function won(findings: Findings): string {
  const { subject, sequential } = findings;
  const { wins, ties, losses } = sequential.counts;
  const [all, where] = [wins + ties + losses, scenariosText(subject)];
  if (wins + losses === 0) return `Of ${counted(all, "trial")} of ${where} none had a winner.`;
  const [ahead, behind] =
    wins >= losses ? ([subject.arms.a, subject.arms.b] as const) : ([subject.arms.b, subject.arms.a] as const);
  const [most, least] = [Math.max(wins, losses), Math.min(wins, losses)];
  const none = ties === 0 ? "" : `; ${countText(ties)} had no winner`;
  const by = decided(findings);
  if (by !== "")
    return `In ${counted(all, "trial")} of ${where} ${ahead} won ${countText(most)} and ${behind} ${countText(least)}${by}${none}.`;
  const preferred = `Judge ${subject.judge_model} preferred ${ahead} in`;
  if (most === all) return `${preferred} all ${counted(all, "trial")} of ${where}.`;
  return `${preferred} ${countText(most)} of ${counted(all, "trial")} of ${where} and ${behind} in ${countText(least)}${none}.`;
}

const BY = { gate: "rules", probe: "hidden checks", measured: "measured criteria", none: "nobody" };

/** Empty when the judge decided every trial that has a winner. */
export function decided(findings: Findings): string {
  if (findings.subject.told.kind === "results") return " by the imported results";
  const winners = countedOf(findings).filter(({ d }) => d !== 0);
  const by = decidersOf(winners.map(({ row }) => row));
  if (by.judge === winners.length) return "";
  const deciders = DECIDERS.flatMap((decider) => {
    const name = decider === "judge" ? `judge ${findings.subject.judge_model}` : BY[decider];
    return by[decider] === 0 ? [] : { name, count: by[decider] };
  });
  if (deciders.length > 1) return ` (decided ${deciders.map(({ name, count }) => `${count} by ${name}`).join(", ")})`;
  return deciders.map(({ name, count }) => ` (${count === 1 ? "" : "all "}decided by ${name})`).join("");
}

export function rate({ subject, sequential }: Findings): string {
  const { wins, ties, losses } = sequential.counts;
  const { alpha } = subject.told.levels;
  const { low, high } = winRateRange(sequential.counts, alpha);
  const share = percentText((wins + ties / 2) / (wins + ties + losses));
  return `Win rate of ${subject.arms.a} ${share} (a trial without a winner counts half); ${confidenceText(alpha)} range ${rangeText(low, high)}, valid whenever the series is stopped.`;
}

export const rangeText = (low: number, high: number) => `${percentText(low)} to ${percentText(high)}`;

const logEvidenceOf = ({ sequential }: Findings): number => sequential.log_e.at(-1) ?? 0;

export function evidenceSentence(findings: Findings): string {
  const { alpha } = findings.subject.told.levels;
  return `Evidence ${evidenceText(evidenceOf(logEvidenceOf(findings)), alpha)} (${limitText(alpha)} needed).`;
}

/** Says that a suite's figure is a mean, and that of these scenarios alone. */
export function scope(findings: Findings): readonly string[] {
  const { subject } = findings;
  if (subject.scenarios.length === 1) return [];
  const ahead = aheadOf(findings);
  const count = (side: Side) => ahead.filter((one) => one === side).length;
  return [
    `This is the average over ${scenariosText(subject)}; ${subject.arms.a} is ahead in ${count("a")} of them, ${subject.arms.b} in ${count("b")}. It says nothing about others.`,
  ];
}
