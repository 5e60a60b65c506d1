import { priceDateText } from "../domain/at-least.ts";
import { cut } from "../domain/excerpt.ts";
import { memberWord } from "../domain/member.ts";
import { counted, countText, durationText, percentText, usdText } from "../domain/number-text.ts";
import { plainText } from "../domain/plain-text.ts";
import type { Series, SeriesGroup } from "../domain/series.ts";
import type { SolvedCount } from "../domain/series-arm.ts";
import { trialResult } from "../domain/series-status.ts";
import type { Side } from "../domain/verdict.ts";
import { type ArmNames, armWord, say, type Words } from "../domain/words.ts";
import { checkRates, skillNames, skillText } from "./arm-rates.ts";
import { checkRateText, solvedWord } from "./figure-text.ts";
import { FAILED_ROWS, failedShown, whatFailed } from "./what-failed.ts";

/** The ids of both arms. */
export const namesOf = ({ a, b }: Series["arms"]): ArmNames => ({ a: a.arm_id, b: b.arm_id });

/** Said before the reason for which a series ended early: it failed, or was interrupted. */
export const HALTED = "It stopped before its end";

/** What more trials would bring, by a forecast from those that there are. */
export function outlookWords({ forecast, conclusion, limits }: Series): readonly Words[] {
  const { trials_left: left, chance_of_claim: claim, chance_of_conclusion: any } = forecast;
  const isOpen = conclusion === "undecided";
  const plan = left === 0 ? "The plan has no trial left." : `The plan has ${counted(left ?? 0, "trial")} left.`;
  const chances =
    isOpen && claim !== null && any !== null
      ? say` The chance of a claim in them is ${{ figure: percentText(claim) }}, of any conclusion ${{ figure: percentText(any) }}.`
      : [];
  return [...(limits && left !== null ? [say`${plan}${chances}`] : []), ...(isOpen ? [enoughWords(forecast)] : [])];
}

function enoughWords({ more_trials, cost_usd, unknown_because }: Series["forecast"]): Words {
  if (unknown_because === "clusters")
    return ["Rows of a cluster count as their mean: how many more trials would be enough, nobody can say."];
  if (more_trials === null) return ["From these trials nobody can say how many more would be enough for a claim."];
  const cost = cost_usd ? `, for about ${usdText(cost_usd)}` : "";
  return say`${moreText(more_trials)} be enough${cost}. Where arms do not differ, such a forecast seldom comes true.`;
}

/** The beginning of a forecast, also of the statement's. */
export const moreText = (trials: number) =>
  `If further trials split the same way, about ${countText(trials)} more would`;

/** Rows of a series by the arm that won more of their trials; `none`: they gave no result. */
export type Ahead = Readonly<Record<Side | "even" | "none", number>>;

/** In how many scenarios, or rows, each arm is ahead. */
export function aheadWords({ a, b, even, none }: Ahead, names: ArmNames, what = "scenarios"): Words {
  const level = even === 0 ? "" : `; ${countText(even)} ${even === 1 ? "is" : "are"} level`;
  const unknown = none === 0 ? "" : `; ${countText(none)} ${none === 1 ? "has" : "have"} no result`;
  return say`Of ${countText(a + b + even + none)} ${what} ${armWord(names, "a")} has won more trials in ${countText(a)}, ${armWord(names, "b")} in ${countText(b)}${level}${unknown}.`;
}

/** `one won 3, other 1, no winner 2`. */
export const wonText = ({ wins, ties, losses }: Counts, { a, b }: ArmNames): string =>
  `${a} won ${countText(wins)}, ${b} ${countText(losses)}, no winner ${countText(ties)}`;

type Counts = Pick<Series["counts"], "wins" | "ties" | "losses">;

export const scoreText = ({ wins, ties, losses }: Counts) => `${wins}-${ties}-${losses}`;

export const rateText = (win_rate: number | null) => (win_rate === null ? "–" : percentText(win_rate));

/** Evidence with one decimal. It shows the limit only when the limit is reached. */
export function evidenceFigure(e: number, alpha: number): string {
  if (e >= 1_000) return ">1000";
  const isBelow = e * alpha < 1 && Number(e.toFixed(1)) * alpha >= 1;
  return (isBelow ? Math.floor(e * 10) / 10 : e).toFixed(1);
}

/** Stands below a table of groups, whose ranges look like claims. */
export const GROUPS_TEXT =
  "Groups describe; no claim is made of one. With several groups, some ranges leave 50% out by chance.";

/** Head and rows of the table of groups; null where nothing was grouped. */
export function groupTable({ groups = [], arms, scenarios }: Pick<Series, "groups" | "arms" | "scenarios">) {
  const [first] = groups;
  if (first === undefined) return null;
  const range = ({ low, high }: SeriesGroup) => `${percentText(low)} to ${percentText(high)}`;
  return {
    head: [
      first.field,
      `${memberWord(scenarios)}s`,
      "wins-ties-losses",
      `win rate of ${arms.a.arm_id}`,
      "range",
    ] as const,
    rows: groups.map((group) => {
      const { value, counts, win_rate } = group;
      return [value || "(empty)", String(counts.rows), scoreText(counts), rateText(win_rate), range(group)] as const;
    }),
  };
}

/** Head and rows of the table of what failed in several scenarios; null where nothing did. */
export function failedTable(series: Series) {
  const failed = series.scenarios.length > 1 ? whatFailed(series) : [];
  if (failed.length === 0) return null;
  const { a, b } = series.arms;
  return {
    head: [
      "what failed",
      `${memberWord(series.scenarios)}s`,
      `${a.arm_id} failed`,
      `${b.arm_id} failed`,
      "among them",
    ] as const,
    rows: failed.slice(0, FAILED_ROWS).map(({ what, by_arm, rows }) => {
      const [of_a, of_b] = by_arm ? [String(by_arm.a), String(by_arm.b)] : ["–", "–"];
      const { named, more } = failedShown(rows);
      return [cut(what, REASON_CHARS), countText(rows.length), of_a, of_b, named.join(", ") + more] as const;
    }),
  };
}

/** Of a reason in a table. */
const REASON_CHARS = 120;

/** Lines of a table in a text that people read as a whole. A longer one is in the JSON, and in the web UI. */
const TEXT_ROWS = 50;

/** What a table with fewer lines than rows leaves out; null where it shows all. */
export const leftOutText = (rows: number): string | null =>
  rows > TEXT_ROWS ? `and ${countText(rows - TEXT_ROWS)} more` : null;

/** The scenarios that a text shows: of many those in which the arms differ most, in the order of the plan. */
export function shownScenarios(scenarios: Series["scenarios"]): Series["scenarios"] {
  if (scenarios.length <= TEXT_ROWS) return scenarios;
  const apart = ({ counts: { trials, wins, losses } }: (typeof scenarios)[number]) =>
    trials === 0 ? 0 : Math.abs(wins - losses) / trials;
  const chosen = new Set(scenarios.toSorted((one, other) => apart(other) - apart(one)).slice(0, TEXT_ROWS));
  return scenarios.filter((one) => chosen.has(one));
}

/** Names of scenarios that a heading has room for. */
const HEADING_NAMES = 5;

/** A dash where nothing had to be solved. */
export const solvedText = (solved: SolvedCount | null) =>
  solved === null ? "–" : `${solved.solved} of ${solved.trials}`;

/**
 * The k at which pass^k tells most: the largest at which the more reliable arm solves all of k trials at least every other
 * time, and no less than 2. Null where one trial, or no trial solved, tells all.
 */
function tellingPower({ a, b }: Series["arms"]): number | null {
  const powers = [a.solved?.pass_power ?? [], b.solved?.pass_power ?? []];
  const most = Math.max(...powers.map(({ length }) => length));
  if (most < 2 || powers.flat().every((share) => share === 0)) return null;
  const likely = powers.map((power) => power.findLastIndex((share) => share >= 0.5) + 1);
  return Math.max(2, ...likely);
}

/** What pass^k in the figures of both arms means; null where they have none. */
export function powerText({ arms }: Series): string | null {
  const power = tellingPower(arms);
  return power === null
    ? null
    : `pass^${power} is the chance that an arm solves all of ${power} trials of a task: the mean over tasks, with its 95% range.`;
}

/** Checks that give a number, as lines of a table. */
const SCORED_CHECKS = 8;

function scoredChecks({ scenarios }: Series): readonly (readonly [what: string, a: string, b: string])[] {
  const rates = checkRates(scenarios).filter(({ scores }) => scores !== undefined);
  const isSuite = new Set(rates.map(({ scenario }) => scenario)).size > 1;
  return rates
    .slice(0, SCORED_CHECKS)
    .map((rate) => [
      `check ${isSuite ? `${rate.scenario} ` : ""}${rate.id}`,
      checkRateText(rate, "a"),
      checkRateText(rate, "b"),
    ]);
}

/** Figures of both arms, one line for each kind. The last cells are those of a and b. */
export function armFigures(series: Series): (readonly [what: string, a: string, b: string])[] {
  const { a, b } = series.arms;
  const power = tellingPower(series.arms);
  const both = (what: string, text: (arm: Series["arms"]["a"]) => string) => [what, text(a), text(b)] as const;
  const isFree = a.cost_usd.total === 0 && b.cost_usd.total === 0;
  const scores = [both("mean score", ({ mean_score }) => scoreFigure(mean_score))];
  const reliability = power === null ? [] : [both(`pass^${power}`, ({ solved }) => powerFigure(solved, power - 1))];
  if (series.imported)
    return a.mean_score === undefined
      ? [both(solvedWord(series), ({ solved }) => solvedText(solved)), ...reliability]
      : scores;
  return [
    ...(a.mean_score === undefined ? [] : scores),
    ...scoredChecks(series),
    both(solvedWord(series), ({ solved }) => solvedText(solved)),
    ...(a.crashed || b.crashed ? [both("crashed", crashedText)] : []),
    ...(a.usage_lost || b.usage_lost ? [both("usage not known", lostText)] : []),
    ...skillNames(series.arms).map((name) => both(`skill ${plainText(name)}`, (arm) => skillText(arm, name))),
    ...reliability,
    ...(isFree ? [] : [both("mean cost", ({ cost_usd }) => usdText(cost_usd.mean))]),
    both("median time", ({ wall_ms_median }) => (wall_ms_median === null ? "–" : durationText(wall_ms_median))),
  ];
}

function powerFigure(solved: SolvedCount | null, index: number): string {
  const [share, low, high] = [solved?.pass_power[index], solved?.pass_power_low[index], solved?.pass_power_high[index]];
  if (share === undefined || low === undefined || high === undefined) return "–";
  return `${percentText(share)} (${percentText(low)} to ${percentText(high)})`;
}

const scoreFigure = (score = 0) => score.toFixed(3);

const crashedText = ({ crashed }: Series["arms"]["a"]) =>
  crashed === undefined ? "never" : `${crashed.crashed} of ${crashed.trials}`;

const lostText = ({ usage_lost }: Series["arms"]["a"]) =>
  usage_lost === undefined ? "never" : `${usage_lost.lost} of ${usage_lost.trials}`;

/** What arms and judge cost; empty when nothing was paid, and for imported results, of which nobody knows. */
export function costsText({ arms, judge, cost_usd, kind }: Series): string {
  if (cost_usd.total === 0 || kind === "results") return "";
  const each = [arms.a, arms.b].map(({ arm_id, cost_usd: { total } }) => `${arm_id} ${usdText(total)}`);
  return plainText([...each, `judge ${usdText(judge.cost_usd)}`, `total ${totalText(cost_usd)}`].join(", "));
}

const totalText = ({ total, at_least, price_date }: Series["cost_usd"]) =>
  (at_least ? `at least ${usdText(at_least.cost_usd)} (${at_least.why})` : usdText(total)) + priceDateText(price_date);

/** What the trial gave, and why it gave nothing. */
export function trialText(trial: Series["trials"][number], arms: Series["arms"]): string {
  const result = trialResult(trial, namesOf(arms));
  return trial.failure === null ? result : `${result}: ${trial.failure}`;
}

/** Where more of the trial is told: its session, or what an imported table says of both arms. */
export const originOfTrial = ({ session_id, results }: Series["trials"][number]): string =>
  session_id ?? `${resultFigure(results?.a)} : ${resultFigure(results?.b)}`;

const resultFigure = (result: number | null | undefined) =>
  result == null ? "–" : String(Number(result.toPrecision(6)));

/** Who judged, and which series it is. */
export const sourceText = (
  { judge, series_id }: Pick<Series, "judge" | "series_id">,
  code: (text: string) => string = (text) => text,
): string =>
  judge.model === null
    ? `Imported results ${code(series_id)}`
    : `Judge ${code(judge.model)}, series ${code(series_id)}`;

/** Scenarios by name, those with inputs once each. */
export function namesInShort(scenarios: Series["scenarios"]): string {
  const names = [...new Set(scenarios.map(({ scenario }) => scenario))];
  const more = names.length > HEADING_NAMES ? ` and ${countText(names.length - HEADING_NAMES)} more` : "";
  return names.slice(0, HEADING_NAMES).join(", ") + more;
}
