import { counted, countText, percentText } from "../../domain/number-text.ts";
import { DECIDERS } from "../../domain/verdict.ts";
import { countedOf, decidersOf, type Findings } from "../claim/findings.ts";
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

export const rangeText = (low: number, high: number) => `${percentText(low)} to ${percentText(high)}`;
