import type { EfficiencyFigure, UsedRatio } from "../../domain/efficiency.ts";
import type { Series } from "../../domain/series.ts";

/** Words for less of a figure, and for more of it. */
const WORDS: Readonly<Record<EfficiencyFigure, readonly [lower: string, higher: string]>> = {
  cost_usd: ["cheaper", "dearer"],
  tokens_in: ["fewer input tokens", "more input tokens"],
  tokens_out: ["fewer output tokens", "more output tokens"],
  wall_ms: ["less time", "more time"],
  turns: ["fewer turns", "more turns"],
};

/** What is shown of what the candidate uses: `38% cheaper (25 to 49%), 12% fewer turns`. Empty where nothing is. */
export const shownUse = (efficiency: Series["efficiency"]): string =>
  (Object.entries(WORDS) as [EfficiencyFigure, (typeof WORDS)[EfficiencyFigure]][])
    .flatMap(([figure, words]) => useText(efficiency[figure], words) ?? [])
    .join(", ");

function useText({ ratio, low, high, claim }: UsedRatio, [lower, higher]: (typeof WORDS)[EfficiencyFigure]) {
  if (claim === null || ratio === null) return undefined;
  const percent = (one: number) => Math.round(100 * (claim === "lower" ? 1 - one : one - 1)) + 0;
  const ends = claim === "lower" ? [high, low] : [low, high];
  const [least = null, most = null] = ends;
  // Nobody cares for less than one percent.
  if (percent(ratio) === 0) return undefined;
  const range = least === null || most === null ? "" : ` (${percent(least)} to ${percent(most)}%)`;
  return `${percent(ratio)}% ${claim === "lower" ? lower : higher}${range}`;
}

/** What is not shown yet: ` (0.93 times as much, about 0.80 to 1.08)`; empty where a claim says it, null where nothing is known. */
export function costRatioText({ ratio, low, high, claim }: UsedRatio): string | null {
  if (ratio === null) return null;
  if (claim !== null) return "";
  const range = low === null || high === null ? "" : `, about ${low.toFixed(2)} to ${high.toFixed(2)}`;
  return ` (${ratio.toFixed(2)} times as much${range})`;
}
