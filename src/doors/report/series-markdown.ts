import { counted, usdText } from "../../domain/number-text.ts";
import type { Series } from "../../domain/series.ts";
import { statusText } from "../../domain/series-status.ts";
import { plain, table } from "./markdown-text.ts";
import {
  armFigures,
  costsText,
  namesOf,
  rateText,
  SERIES_FLAG_TEXT,
  scoreText,
  solvedText,
  trialText,
  winRateText,
} from "./series-words.ts";

/** The series as a short page for a pull request: the conclusion, scenarios, arms, what to beware of, every trial. */
export function seriesMarkdown(series: Series): string {
  const { scenarios, arms, statement, failure, flags, judge, series_id } = series;
  const cost = costsText(series);
  const parts = [
    `## abeval: ${plain(scenarios.map(({ scenario }) => scenario).join(", "))}\n`,
    `**${plain(statusText(series, namesOf(arms)))}**\n`,
    ...(failure === null ? [] : [`The series failed: ${plain(failure)}\n`]),
    `Win rate of ${plain(arms.a.arm_id)}: ${plain(winRateText(series))}\n`,
    `${plain(statement)}\n`,
    scenarioTable(series),
    table(["", arms.a.arm_id, arms.b.arm_id], armFigures(series)),
    ...flags.map((flag) => `- \`${flag}\`: ${plain(SERIES_FLAG_TEXT[flag])}`),
    ...(flags.length > 0 ? [""] : []),
    ...(cost === "" ? [] : [`Cost: ${plain(cost)}\n`]),
    trialsFolded(series),
    `Judge \`${plain(judge.model)}\`, series \`${series_id}\`\n`,
  ];
  return parts.join("\n");
}

function scenarioTable({ scenarios, arms }: Series): string {
  const head = ["scenario", "wins-ties-losses", "win rate", `${arms.a.arm_id} solved`, `${arms.b.arm_id} solved`];
  return table(
    head,
    scenarios.map(({ scenario, counts, headline, solved }) => [
      scenario,
      scoreText(counts),
      rateText(headline.win_rate),
      ...[solvedText(solved.a), solvedText(solved.b)],
    ]),
  );
}

/** A comment on a pull request has room for 65,536 characters. */
const SHOWN_TRIALS = 200;

/** GitHub and GitLab fold it; a table inside needs the blank line before it. */
function trialsFolded({ trials, arms }: Series): string {
  const rows = trials
    .slice(-SHOWN_TRIALS)
    .map((trial) => [
      String(trial.trial),
      trial.scenario,
      trialText(trial, arms),
      trial.counted ? "yes" : "no",
      usdText(trial.cost_usd),
      trial.session_id,
    ]);
  const head = ["trial", "scenario", "outcome", "counts", "cost", "session"];
  const all = counted(trials.length, "trial");
  const title = rows.length < trials.length ? `The last ${rows.length} of ${all}` : all;
  return `<details><summary>${title}</summary>\n\n${table(head, rows)}\n</details>\n`;
}
