import type { JudgeProfile } from "../../../domain/judge-profile.ts";
import { percentText } from "../../../domain/number-text.ts";
import { count, countOf } from "../format.ts";

/** Whether a judge is drawn to the arm that it is shown first. */
export function pullText({ mean_pull, first, second }: JudgeProfile["position"]): string {
  const contradictions = first + second;
  const named =
    contradictions === 0
      ? "never contradicted itself"
      : `contradicted itself ${countOf(contradictions, "time")}: ${count(first)} for the first, ${count(second)} for the second`;
  if (mean_pull === null) return named;
  if (Math.abs(mean_pull) < 0.005) return `none; ${named}`;
  return `${percentText(Math.abs(mean_pull))} to the arm shown ${mean_pull > 0 ? "first" : "second"}; ${named}`;
}

/** How many of its verdicts named nobody, by why; as shares where there are enough. */
export function undecidedTexts({ outcomes, rates }: Pick<JudgeProfile, "outcomes" | "rates">): readonly string[] {
  return (["tie", "inconclusive", "inconsistent", "invalid"] as const)
    .filter((outcome) => (outcomes[outcome] ?? 0) > 0)
    .map((outcome) => `${outcome} ${rates ? percentText(rates[outcome]) : count(outcomes[outcome] ?? 0)}`);
}

/** How often it said something else of a pair that it had judged before. */
export function repeatsText({ compared, changed, rate }: JudgeProfile["repeats"]): string {
  if (compared === 0) return "never judged again";
  const figures = `${count(changed)} of ${count(compared)} came out otherwise`;
  return rate === null ? figures : `${figures}, ${percentText(rate)}`;
}

/** How often it names the arm that hidden checks clearly favour. */
export function agreementText({ agree, disagree, abstained, rate, low, high }: JudgeProfile["facts"]["shown"]): string {
  const decided = agree + disagree;
  if (decided + abstained === 0) return "no such verdict";
  const range = rate === null || low === null || high === null ? "" : ` (${percentText(low)} to ${percentText(high)})`;
  return [
    ...(decided > 0 ? [`${count(agree)} of ${countOf(decided, "time")}${range}`] : []),
    ...(abstained > 0 ? [`abstained ${countOf(abstained, "time")}`] : []),
  ].join(", ");
}
