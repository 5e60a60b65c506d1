import { NO_ROWS, type ShownRows } from "../../domain/grid-words.ts";
import { memberName, memberWord } from "../../domain/member.ts";
import { counted, countText, momentText, percentText, usdText } from "../../domain/number-text.ts";
import { LINE_STYLES, quadrantOf } from "../../domain/quadrant.ts";
import type { Series } from "../../domain/series.ts";
import { seriesFlagWords } from "../../domain/series-flags.ts";
import { preferredSide, SERIES_KINDS } from "../../domain/series-status.ts";
import type { Side } from "../../domain/verdict.ts";
import { CHECK_RATES, checkRates } from "../../statistics/arm-rates.ts";
import { evidenceCurve, logAxis, roundOfClaim, tickText } from "../../statistics/evidence-curve.ts";
import { checkRateText, evidenceText, limitText, solvedWord } from "../../statistics/figure-text.ts";
import {
  armFigures,
  costsText,
  failedTable,
  GROUPS_TEXT,
  groupTable,
  HALTED,
  namesInShort,
  namesOf,
  originOfTrial,
  powerText,
  rateText,
  scoreText,
  solvedText,
  sourceText,
  trialText,
} from "../../statistics/series-words.ts";
import { type Again, sixLines } from "../../statistics/six-lines.ts";
import { kindOf, legendOf, TRIAL_MARKS, type TrialKind } from "../../statistics/trial-kind.ts";
import { type Html, html, htmlPage, htmlTable, longHtmlTable } from "./html.ts";
import { workHtml } from "./work-html.ts";

/** Trials in the table; the latest of a larger series. */
const SHOWN_TRIALS = 2_000;

/** Rows whose work the page shows. */
export const HTML_ROWS = 200;

/** A series as one page that stands alone, made in turns. What arms wrote is text in it. */
export async function seriesHtml(series: Series, again?: Again, shown: ShownRows = NO_ROWS): Promise<string> {
  const { scenarios, failure, flags } = series;
  const cost = costsText(series);
  const names = namesInShort(scenarios);
  const power = powerText(series);
  const { first, lines } = sixLines(series, again);
  const body = html`<p class="soft">${originText(series, names)}</p><h1>${first}</h1>
${failure === null ? null : html`<p class="bad">${HALTED}: ${failure}</p>`}
${lines.map(({ label, words, command }) => html`<p><b>${label}</b> ${words}${command === undefined ? null : html` <code>${command}</code>`}</p>`)}
${differenceOf(series)}
${quadrantIn(series)}
${flags.length === 0 ? null : html`<h2>Before you trust it</h2>${flags.map((flag) => html`<p>${seriesFlagWords(flag, series)}</p>`)}`}
${await workHtml(shown, { word: memberWord(scenarios), arms: headedArms(series), names: namesOf(series.arms) })}
${groupsIn(series)}
${failedIn(series)}
${scenarios.length > 1 ? await suiteOf(series) : scenarioOf(series)}
${evidencePlot(series)}
<h2>Both arms</h2>
${htmlTable(["", ...armHeads(series)], armFigures(series))}
${power === null ? null : html`<p class="soft">${power}</p>`}
${await checksOf(series)}
${await trialsOf(series)}
<p class="soft">${cost === "" ? null : `Cost: ${cost}. `}${sourceText(series)}</p>`;
  return htmlPage(`${names} · abeval`, body);
}

const originText = ({ kind, state, created_at, counts }: Series, names: string) =>
  [
    SERIES_KINDS[kind],
    names,
    counted(counts.trials, "trial"),
    ...(kind === "planned" ? [state] : []),
    ...(created_at === null ? [] : [momentText(created_at)]),
  ].join(" · ");

const percent = (share: number) => `${(share * 100).toFixed(2)}%`;

/** The range of the difference between -100 and +100 points; nothing without trials. */
function differenceOf({ result, conclusion }: Series): Html | null {
  if (!result) return null;
  const [win_rate, low, high] = [result.difference, result.low, result.high].map((points) => (points + 1) / 2);
  const headline = { win_rate: win_rate ?? null, low: low ?? 0, high: high ?? 1 };
  return html`${rangeOf({ headline, conclusion })}
<p class="soft ends"><span>-100 points</span><span>0</span><span>+100 points: ${result.candidate} is ahead</span></p>`;
}

/** Difference against cost, with both ranges; nothing where no cost is compared. */
function quadrantIn(series: Series): Html | null {
  const found = quadrantOf(series);
  if (found === null) return null;
  return html`<svg class="quadrant" viewBox="${found.box}" role="img" aria-label="${found.label}">${found.lines.map(
    ({ kind, x1, y1, x2, y2 }) => {
      const { strokeOpacity, strokeWidth, strokeDasharray } = LINE_STYLES[kind];
      return html`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke-opacity="${strokeOpacity}" stroke-width="${strokeWidth}" stroke-dasharray="${strokeDasharray}"/>`;
    },
  )}<circle cx="${found.at.x}" cy="${found.at.y}" r="5"/>${found.texts.map(
    ({ x, y, anchor, text }) => html`<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`,
  )}</svg>`;
}

/** The range of the win rate on a scale whose middle is marked, in the colour of who is preferred. The figures stand beside it. */
function rangeOf({ headline, conclusion }: Ranged): Html {
  const { win_rate, low, high } = headline;
  return html`<div class="bar ${preferredSide(conclusion) ?? "even"}" aria-hidden="true"><i style="left:${percent(low)};width:${percent(high - low)}"></i><b></b>${
    win_rate === null ? null : html`<i class="rate" style="left:${percent(win_rate)}"></i>`
  }</div>`;
}

interface Ranged extends Pick<Series, "conclusion"> {
  readonly headline: Pick<Series["headline"], "win_rate" | "low" | "high">;
}

/** Words of a table's head as this page writes them. */
const titled = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function groupsIn(series: Series): Html | null {
  const found = groupTable(series);
  if (found === null) return null;
  const [field, ...figures] = found.head;
  return html`<h2>By ${field}</h2>${htmlTable([field, ...figures.map(titled)], found.rows)}<p class="soft">${GROUPS_TEXT}</p>`;
}

function failedIn(series: Series): Html | null {
  const found = failedTable(series);
  if (found === null) return null;
  const [what, members, , , named] = found.head;
  const [a, b] = armHeads(series);
  const head = [titled(what), titled(members), html`${a} failed`, html`${b} failed`, titled(named)];
  return html`<h2>What failed</h2>${htmlTable(head, found.rows)}`;
}

/** One line for each scenario: the result of every trial, and what the trials say together. */
async function suiteOf(series: Series): Promise<Html> {
  const solvedBy = (["a", "b"] as const).map((side) => html`${letter(side)} ${solvedWord(series)}`);
  const { scenarios, trials } = series;
  const byScenario = Map.groupBy(trials, memberName);
  const most = Math.max(1, Math.floor(SHOWN_TRIALS / scenarios.length));
  return html`<h2>Scenarios</h2>
${await longHtmlTable(
  ["Scenario", "Trials", "Wins-ties-losses", "Win rate", ...solvedBy],
  scenarios,
  ({ counts, headline, conclusion, solved, ...member }) => [
    memberName(member),
    strip((byScenario.get(memberName(member)) ?? []).slice(-most), namesOf(series.arms)),
    scoreText(counts),
    html`${rateText(headline.win_rate)} <span class="soft">${percentText(headline.low)} to ${percentText(headline.high)}</span>${rangeOf({ headline, conclusion })}`,
    ...[solvedText(solved.a), solvedText(solved.b)],
  ],
)}
${legend(series)}`;
}

function scenarioOf(series: Series): Html {
  const { counts, trials } = series;
  return html`<h2>Trials</h2>${strip(trials.slice(-SHOWN_TRIALS), namesOf(series.arms))}${legend(series)}
<p>Wins-ties-losses: ${scoreText(counts)}</p>`;
}

type Names = Readonly<Record<Side, string>>;

const letter = (side: Side): Html => html`<span class="${side}">${side.toUpperCase()}</span>`;

const armHeads = ({ arms: { a, b } }: Pick<Series, "arms">): readonly [Html, Html] => [
  html`${letter("a")} ${a.arm_id}`,
  html`${letter("b")} ${b.arm_id}`,
];

const headedArms = (series: Pick<Series, "arms">) => {
  const [a, b] = armHeads(series);
  return [
    { arm_id: series.arms.a.arm_id, head: a },
    { arm_id: series.arms.b.arm_id, head: b },
  ];
};

const mark = (kind: TrialKind): Html => html`<span class="trial ${kind}">${TRIAL_MARKS[kind]}</span>`;

const strip = (trials: Series["trials"], arms: Names): Html =>
  html`<div class="strip" role="img" aria-label="${legendOf(trials, arms)
    .map(({ text }) => text)
    .join(", ")}">${trials.map((trial) => mark(kindOf(trial)))}</div>`;

const legend = (series: Series): Html =>
  html`<p class="soft strip">${legendOf(series.trials, namesOf(series.arms)).map(
    ({ kind, text }) => html`<span>${mark(kind)} ${text}</span>`,
  )}</p>`;

/** How often each hidden check passed. */
async function checksOf({ scenarios, arms }: Series): Promise<Html | null> {
  const rates = checkRates(scenarios);
  if (rates.length === 0) return null;
  return html`<h2>Hidden checks passed</h2>
${await longHtmlTable(["Scenario", "Check", ...armHeads({ arms })], rates.slice(0, CHECK_RATES), (rate) => [
  rate.scenario,
  rate.id,
  checkRateText(rate, "a"),
  checkRateText(rate, "b"),
])}${rates.length > CHECK_RATES ? html`<p class="soft">and ${rates.length - CHECK_RATES} more</p>` : null}`;
}

/** The list of trials is folded until a reader opens it. */
async function trialsOf({ trials, arms, kind }: Series): Promise<Html> {
  const shown = trials.slice(-SHOWN_TRIALS);
  const all = counted(trials.length, "trial");
  return html`<h2>Trial by trial</h2><details><summary>${shown.length < trials.length ? `The last ${countText(shown.length)} of ${all}` : all}</summary>
${await longHtmlTable(
  ["Trial", "Scenario", "Outcome", "Counts", "Cost", kind === "results" ? "Results" : "Session"],
  shown,
  (trial) => [
    String(trial.trial),
    memberName(trial),
    trialText(trial, arms),
    trial.counted ? "yes" : "no",
    usdText(trial.cost_usd),
    originOfTrial(trial),
  ],
)}</details>`;
}

/** Evidence after each round, on a logarithmic axis, with the line that a claim must reach. Null before the first round. */
function evidencePlot(series: Series): Html | null {
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
<div class="plot" role="img" aria-label="Evidence after ${counted(length, unit)}: ${last}; ${limit} needed for a claim">
${axis.ticks.map((tick) => html`<span class="tick" style="top:${top(tick)}%">${tickText(tick)}</span>`)}
<span class="limit" style="top:${top(1 / levels.alpha)}%">${limit} needed</span>
<svg viewBox="0 0 100 100" preserveAspectRatio="none"><polyline points="${values
    .map((value, round) => `${left(round)},${top(value)}`)
    .join(" ")}"/></svg>
${claim && html`<span class="claim ${claim.side}" style="left:${left(roundOfClaim(series))}%;top:${top(claim.e)}%"></span>`}</div>
<p class="soft ends"><span>0</span><span>${unit === "trial" ? "trials that count" : "complete rounds"}</span><span>${length}</span></p>
<p>Evidence now: ${last}; ${limit} needed for a claim.</p>`;
}
