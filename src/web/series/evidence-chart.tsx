import type { Series } from "../../domain/series.ts";
import { evidenceText, limitText } from "../../series/figure-text.ts";
import { count, counted } from "../format.ts";
import { logAxis } from "./log-axis.ts";

/** Evidence after each round, on a logarithmic axis, with the line that a claim must reach. */
export function EvidenceChart({ series }: { series: Series }) {
  const { alpha } = series.levels;
  const values = [1, ...evidenceByRound(series)];
  const limit = 1 / alpha;
  const axis = logAxis([...values, limit, 0.5]);
  const rounds = values.length - 1;
  if (rounds === 0) return null;
  const unit = series.scenarios.length === 1 ? "trial" : "round";
  const top = (value: number) => `${100 - axis.share(value) * 100}%`;
  const points = values.map((value, round) => `${(round / rounds) * 100},${100 - axis.share(value) * 100}`).join(" ");
  const last = values[rounds] ?? 1;
  const { claim } = series.headline;
  return (
    <figure class="evidence-chart">
      <div
        class="plot"
        role="img"
        aria-label={`Evidence after ${counted(rounds, unit)}: ${evidenceText(last, alpha)}; ${limitText(alpha)} makes a claim`}
      >
        {axis.ticks.map((tick) => (
          <span key={tick} class="plot-tick" style={{ top: top(tick) }}>
            {tickText(tick)}
          </span>
        ))}
        <span class="plot-limit" style={{ top: top(limit) }}>
          <span>{limitText(alpha)} makes a claim</span>
        </span>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <polyline points={points} />
        </svg>
        {claim && (
          <span
            class={`plot-claim side-${claim.side}`}
            style={{ left: `${(claim.at_trial / series.scenarios.length / rounds) * 100}%`, top: top(claim.e) }}
          />
        )}
      </div>
      <figcaption class="small-print plot-caption">
        <span>0</span>
        <span>{unit === "trial" ? "trials that count" : "complete rounds"}</span>
        <span>{count(rounds)}</span>
      </figcaption>
    </figure>
  );
}

/** Every scenario has one counted trial in each complete round. */
const evidenceByRound = ({ trials, scenarios }: Series): number[] =>
  trials.flatMap(({ scenario, e_after }) => (scenario === scenarios[0]?.scenario && e_after !== null ? [e_after] : []));

const tickText = (tick: number) => (tick >= 0.001 && tick < 1e6 ? `${tick}` : tick.toExponential());
