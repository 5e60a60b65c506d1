import { plainText } from "../domain/plain-text.ts";
import type { Series } from "../domain/series.ts";
import { usdText } from "../domain/usd-text.ts";
import type { SeriesSummary } from "../domain/verdict.ts";
import { followSeries } from "../operation/follow-series.ts";
import { costOfTrial } from "../series/costs.ts";
import type { SessionServices } from "../session/services.ts";
import type { Painter } from "./paint.ts";
import { wrapWords } from "./wrap.ts";

/** A line on stderr for each trial that ends. Resolves with the series. */
export async function tellTrials(
  { store, series }: Pick<SessionServices, "store" | "series">,
  series_id: string,
  painter: Painter,
): Promise<void> {
  const running = series.live(series_id);
  if (running === undefined) return;
  for await (const { event } of followSeries(store, running)) {
    if (event.event === "session_failed")
      process.stderr.write(`${painter.paint(plainText(`${event.session_id} failed: ${event.message}`), "yellow")}\n`);
    if (event.event !== "verdict_ready" || event.verdict.series === null) continue;
    const rows = await store.trials({ series_id });
    const own = rows.find(({ session_id }) => session_id === event.session_id);
    const { outcome, winner, scenario } = event.verdict;
    const what = outcome === "winner" ? `${winner} wins` : outcome;
    const cost = own ? usdText(costOfTrial(own)) : "";
    process.stderr.write(`${plainText(trialLine(event.verdict.series, { scenario, what, cost }))}\n`);
  }
}

interface TrialWords {
  readonly scenario: string;
  readonly what: string;
  readonly cost: string;
}

function trialLine(
  { trial, wins, losses, win_rate, low, high, e }: SeriesSummary,
  { scenario, what, cost }: TrialWords,
) {
  const rate =
    win_rate === null ? "no round is complete" : `win rate ${percent(win_rate)}% [${percent(low)}-${percent(high)}]`;
  return `trial ${trial}  ${scenario}  ${what}  ${wins}-${losses}  ${rate}  e ${e.toFixed(1)} of 20  ${cost}`;
}

const percent = (share: number) => Math.round(100 * share);

/** What the series says, for a terminal. */
export function summariseSeries({ statement, series_id }: Series, painter: Painter): string {
  const lines = wrapWords(plainText(statement), painter.columns - 4).map((line) => `  ${line}`);
  return `\n${lines.join("\n")}\n\n${painter.paint(`  ${series_id}`, "dim")}\n`;
}
