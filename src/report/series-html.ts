import { counted } from "../domain/counted.ts";
import type { Series } from "../domain/series.ts";
import { usdText } from "../domain/usd-text.ts";
import { type Html, html, htmlPage, htmlTable } from "./html.ts";
import { SERIES_FLAG_TEXT } from "./series-flag-text.ts";
import {
  armFigures,
  conclusionText,
  costsText,
  rateText,
  scoreText,
  solvedText,
  trialText,
  winRateText,
} from "./series-words.ts";

/** Trials in the table; the latest of a larger series. */
const SHOWN_TRIALS = 2_000;

/** A series as one page that stands alone. Nothing that an arm wrote is in it. */
export function seriesHtml(series: Series): string {
  const { scenarios, arms, statement, failure, flags, judge, series_id } = series;
  const cost = costsText(series);
  const body = html`<h1>${conclusionText(series)}</h1>
${failure === null ? null : html`<p class="bad">The series failed: ${failure}</p>`}
<p>${statement}</p>
<p>Win rate of <span class="a">${arms.a.arm_id}</span>: ${winRateText(series)}</p>${rangeOf(series)}
<h2>Scenarios</h2>
${htmlTable(
  ["Scenario", "Wins-ties-losses", "Win rate", `${arms.a.arm_id} solved`, `${arms.b.arm_id} solved`],
  scenarios.map(({ scenario, counts, headline, solved }) => [
    ...[scenario, scoreText(counts), rateText(headline.win_rate), solvedText(solved.a), solvedText(solved.b)],
  ]),
)}
<h2>Both arms</h2>
${htmlTable(["", arms.a.arm_id, arms.b.arm_id], armFigures(series))}
${flags.length === 0 ? null : html`<h2>Before you trust it</h2>${flags.map((flag) => html`<p>${SERIES_FLAG_TEXT[flag]}</p>`)}`}
${trialsOf(series)}
<p class="soft">${cost === "" ? null : `Cost: ${cost}. `}Judge ${judge.model}, series ${series_id}</p>`;
  return htmlPage(`${scenarios.map(({ scenario }) => scenario).join(", ")} · abeval`, body);
}

/** The range of the win rate on a scale whose middle is marked. The figures stand above it. */
function rangeOf({ headline: { low, high } }: Series): Html {
  const percent = (share: number) => `${(share * 100).toFixed(2)}%`;
  return html`<div class="bar" aria-hidden="true"><i style="left:${percent(low)};width:${percent(high - low)}"></i><b></b></div>`;
}

function trialsOf({ trials, arms }: Series): Html {
  const shown = trials.slice(-SHOWN_TRIALS);
  const all = counted(trials.length, "trial");
  return html`<h2>${shown.length < trials.length ? `The last ${shown.length} of ${all}` : all}</h2>
${htmlTable(
  ["Trial", "Scenario", "Outcome", "Counts", "Cost", "Session"],
  shown.map((trial) => [
    String(trial.trial),
    trial.scenario,
    trial.failure === null ? trialText(trial, arms) : `${trialText(trial, arms)}: ${trial.failure}`,
    trial.counted ? "yes" : "no",
    usdText(trial.cost_usd),
    trial.session_id,
  ]),
)}`;
}
