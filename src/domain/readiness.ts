import type { ContestEstimate, CostEstimate, DoctorCheck, DoctorReport } from "./doctor-report.ts";
import { counted } from "./number-text.ts";

/** `ready; 2 to look at`: the answer of a report, and what of `checks` asks for attention. */
export function readiness(ok: boolean, checks: readonly DoctorCheck[]): string {
  const count = (wanted: DoctorCheck["status"]) => checks.filter(({ status }) => status === wanted).length;
  const [failed, warned] = [count("fail"), count("warn")];
  const said = [...(failed > 0 ? [`${failed} failed`] : []), ...(warned > 0 ? [`${warned} to look at`] : [])];
  return [ok ? "ready" : "not ready", ...(said.length > 0 ? [said.join(", ")] : [])].join("; ");
}

/** The checks that people want to read. For an invalid file that is the reason alone, not every skipped check. */
export function checksToTell({ checks }: Pick<DoctorReport, "checks">): readonly DoctorCheck[] {
  const isInvalid = checks.some(({ id, status }) => id === "parse" && status === "fail");
  return isInvalid ? checks.filter(({ scope, status }) => scope !== "scenario" || status !== "skip") : checks;
}

/** What a series would take and show, in sentences; empty when nobody asked. `usd` writes an amount of money. */
export function seriesEstimateText(estimate: CostEstimate, usd: (amount: number) => string): string {
  const { series, high_tokens } = estimate;
  if (!series) return "";
  const { trials, members, clusters, chances, contest } = series;
  const money = high_tokens > 0 ? moneyText(series, usd) : null;
  const cost = money === null ? "" : ` ${trials === 1 ? "costs" : "cost"} ${money}, and`;
  const units = clusters === undefined ? "trials" : "clusters";
  const found = chances.map(
    ({ win_share, chance_of_claim, mean_trials }) =>
      `${Math.round(10 * win_share)} of 10 in ${Math.round(100 * chance_of_claim)}% of series (${mean_trials.toFixed(1)} ${units})`,
  );
  const once = clusters === undefined ? "" : `, in ${counted(clusters, "cluster")} that each count once in a round`;
  const each = members > 1 ? ` (${counted(trials / members, "trial")} of each of ${members} tasks${once})` : "";
  const [what, finds, least] = contest ? ofContest(trials, contest) : ofTwoArms(trials);
  return `${what}${each}${cost} ${finds} wins ${found.join(", ")}; ${least}stopping early, if one trial in five has no winner.${equalText(estimate)}${armsText(series, usd)}`;
}

const ofTwoArms = (trials: number) =>
  [counted(trials, "trial"), trials === 1 ? "finds an arm that" : "find an arm that", ""] as const;

function ofContest(trials: number, { arms, mode }: ContestEstimate) {
  const finds = mode === "best" ? "tell an arm out, where the best one" : "find a candidate that";
  return [
    `${counted(trials, "trial")} of each of ${arms.length} arms`,
    finds,
    "at least, whatever the others do; ",
  ] as const;
}

/** What each arm of a contest may cost; empty where nothing is spent, or known. */
function armsText(
  { contest, bound_usd: whole }: Pick<NonNullable<CostEstimate["series"]>, "contest" | "bound_usd">,
  usd: (amount: number) => string,
): string {
  const told = (contest?.arms ?? []).flatMap(({ arm_id, likely_usd, bound_usd }) => {
    const money = bound_usd === 0 ? null : moneyText({ low_usd: likely_usd, high_usd: bound_usd }, usd);
    return money === null ? [] : `${arm_id} ${money.replace(", and", ",")}`;
  });
  if (!contest || told.length === 0) return "";
  const judged = (whole ?? 0) > contest.arms.reduce((sum, { bound_usd }) => sum + (bound_usd ?? 0), 0) * (1 + ROUNDING);
  const rest = judged ? ` The rest is the judge's, for ${counted(contest.pairs, "pair")} in a round.` : "";
  return ` Of that the runs of each arm: ${told.join("; ")}.${rest}`;
}

/** Sums of the same parts in another order differ by less. */
const ROUNDING = 1e-9;

/** What is likely first, then what it is not to exceed, as far as it is known; null where nothing is. */
export function moneyText(
  { low_usd, likely_usd = low_usd, high_usd }: Pick<CostEstimate, "low_usd" | "likely_usd" | "high_usd">,
  usd: (amount: number) => string,
): string | null {
  if (likely_usd === null) return null;
  return `about ${usd(likely_usd)}${high_usd === null ? "" : `, and at most ${usd(high_usd)}`}`;
}

/** How likely the gate opens where there is nothing to find. */
function equalText({ series, measure, control }: CostEstimate): string {
  const chance = series?.chance_equal_passes ?? null;
  if (chance === null || control === undefined || measure === "score") return "";
  const equal = measure === "solved" ? "solves 9 of 10, as it does" : "is preferred in 2 of 5 trials, as it is";
  const by = series?.not_worse_by;
  const gate = by === undefined ? "the gate" : `a gate of ${Number((100 * by).toFixed(1))} points`;
  return ` The control is ${control}. A candidate that ${equal}, passes ${gate} in ${series?.contest ? "at least " : ""}${Math.round(100 * chance)}% of series.`;
}
