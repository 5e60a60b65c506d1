import { counted } from "../../domain/counted.ts";
import type { Series } from "../../domain/series.ts";
import { evidenceCurve, tickText } from "../../statistics/evidence-curve.ts";
import { evidenceText, limitText } from "../../statistics/figure-text.ts";
import { logAxis } from "../../statistics/log-axis.ts";
import { type Html, html } from "./html.ts";

/** Evidence after each round, on a logarithmic axis, with the line that a claim must reach. Null before the first round. */
export function evidencePlot(series: Series): Html | null {
  const { headline, levels, scenarios } = series;
  const values = evidenceCurve(series);
  const length = values.length - 1;
  if (length === 0) return null;
  const limit = limitText(levels.alpha);
  const axis = logAxis([...values, 1 / levels.alpha, 0.5]);
  const top = (value: number) => (100 - axis.share(value) * 100).toFixed(2);
  const left = (round: number) => ((round / length) * 100).toFixed(2);
  const unit = scenarios.length === 1 ? "trial" : "round";
  const last = evidenceText(values.at(-1) ?? 1, levels.alpha);
  const { claim } = headline;
  return html`<h2>Evidence</h2>
<div class="plot" role="img" aria-label="Evidence after ${counted(length, unit)}: ${last}; ${limit} makes a claim">
${axis.ticks.map((tick) => html`<span class="tick" style="top:${top(tick)}%">${tickText(tick)}</span>`)}
<span class="limit" style="top:${top(1 / levels.alpha)}%">${limit} makes a claim</span>
<svg viewBox="0 0 100 100" preserveAspectRatio="none"><polyline points="${values
    .map((value, round) => `${left(round)},${top(value)}`)
    .join(" ")}"/></svg>
${claim && html`<span class="claim ${claim.side}" style="left:${left(claim.at_trial / scenarios.length)}%;top:${top(claim.e)}%"></span>`}</div>
<p class="soft ends"><span>0</span><span>${unit === "trial" ? "trials that count" : "complete rounds"}</span><span>${length}</span></p>
<p>Evidence now: ${last}; ${limit} makes a claim.</p>`;
}
