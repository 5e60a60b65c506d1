import { DECIDERS } from "../../domain/verdict.ts";
import { countedOf, decidersOf, type Findings } from "../claim/findings.ts";

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
