import type { CostEstimate, DoctorCheck, DoctorReport } from "./doctor-report.ts";
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
  const { trials, members, clusters, chances } = series;
  const money = high_tokens > 0 ? moneyText(series, usd) : null;
  const cost = money === null ? "" : ` ${trials === 1 ? "costs" : "cost"} ${money}, and`;
  const units = clusters === undefined ? "trials" : "clusters";
  const found = chances.map(
    ({ win_share, chance_of_claim, mean_trials }) =>
      `${Math.round(10 * win_share)} of 10 in ${Math.round(100 * chance_of_claim)}% of series (${mean_trials.toFixed(1)} ${units})`,
  );
  const verb = trials === 1 ? "finds" : "find";
  const once = clusters === undefined ? "" : `, in ${counted(clusters, "cluster")} that each count once in a round`;
  const each = members > 1 ? ` (${counted(trials / members, "trial")} of each of ${members} tasks${once})` : "";
  return `${counted(trials, "trial")}${each}${cost} ${verb} an arm that wins ${found.join(", ")}; stopping early, if one trial in five has no winner.${equalText(estimate)}`;
}

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
  return ` The control is ${control}. A candidate that ${equal}, passes ${gate} in ${Math.round(100 * chance)}% of series.`;
}
