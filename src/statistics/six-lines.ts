import { clustersText } from "../domain/cluster.ts";
import { memberName } from "../domain/member.ts";
import { counted, countText, durationText, usdText } from "../domain/number-text.ts";
import type { Series } from "../domain/series.ts";
import { ANSWER_TEXTS, seriesAnswerOf } from "../domain/series-answer.ts";
import { seriesFlagText } from "../domain/series-flags.ts";
import { preferredSide } from "../domain/series-status.ts";
import type { SeriesAnswer } from "../domain/series-summary.ts";
import { type ArmNames, armWord, say, type Words } from "../domain/words.ts";
import { candidateSide, firstLine, gateReasonText, otherSide, pointsOf, RESULTS_CHANGED } from "./first-line.ts";
import { namesOf, solvedText } from "./series-words.ts";
import { costRatioText, shownUse } from "./words/efficiency.ts";
import { nextStep } from "./words/next-step.ts";

/** The command that runs the series again. Null: nothing of it is kept; undefined: the reader has typed none. */
export type Again = string | null | undefined;

/** A line below the first: what it is about, and what it says. */
interface AnswerLine {
  readonly label: "So" | "Also" | "For" | "Doubts" | "Next";
  readonly words: Words;
  /** What to type, whole, so that it can be pasted. */
  readonly command?: string | undefined;
}

/** What a series says, at most six lines, a sentence each. The first line is the same in every door. */
export interface SixLines {
  readonly first: Words;
  readonly lines: readonly AnswerLine[];
}

/** @param again the command that runs the series again, where the reader has typed one */
export function sixLines(series: Series, again?: Again): SixLines {
  const names = namesOf(series.arms);
  const { words, command } = nextStep(series, again);
  const lines: readonly AnswerLine[] = [
    { label: "So", words: soWords(series, names) },
    { label: "Also", words: alsoWords(series, names) },
    { label: "For", words: forWords(series, names) },
    { label: "Doubts", words: doubtWords(series, names) },
    { label: "Next", words, command },
  ];
  return {
    first: firstLine({ ...series, names }),
    lines: lines.filter((line) => line.words.length > 0),
  };
}

/** The gate of the candidate, and why it is shut. */
function soWords(series: Series, names: ArmNames): Words {
  const { gate, gate_reasons, levels } = series;
  const side = candidateSide(names, series.control);
  const [candidate, control] = [armWord(names, side), names[otherSide(side)]];
  const word = seriesAnswerOf(series);
  const by = byText(series, word);
  const found = say`${{ figure: ANSWER_TEXTS[word] }}${by}${sinceText(series)}`;
  if (gate[names[side]] != null) return say`${found}: the gate lets ${candidate} pass.`;
  const reason = gate_reasons?.[names[side]];
  if (!reason || reason.because === "worse") return say`${found}: the gate stays shut.`;
  const why = gateReasonText(reason, { candidate: names[side], control, not_worse_by: levels.not_worse_by });
  return say`${found}${word === "better" ? ", but" : ":"} the gate stays shut, because ${why}.`;
}

/** Where all stored trials say most from a later series on. */
function sinceText({ since }: Series): string {
  const [, year, month, day] = /^series-(\d{4})(\d\d)(\d\d)T/.exec(since ?? "") ?? [];
  if (!year || !month || !day) return "";
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const format = { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" } as const;
  return ` since the series of ${date.toLocaleDateString("en-GB", format)}`;
}

/** By how much it is not worse; of scores, that they are compared case by case, since the range of the mean is another one. */
function byText({ levels, result }: Series, word: SeriesAnswer): string {
  if (word === "not_worse") return ` by ${pointsOf(levels.not_worse_by)} or more`;
  return result?.measure === "score" && (word === "better" || word === "worse") ? " case by case" : "";
}

/** What it solved where the measure is another one, what it cost, how long it took, and what of that is shown. */
function alsoWords({ arms, control: compared, result, efficiency, kind }: Series, names: ArmNames): Words {
  const side = candidateSide(names, compared);
  const [own, other] = [arms[side], arms[otherSide(side)]];
  const [candidate, control] = [armWord(names, side), armWord(names, otherSide(side))];
  const costs = costRatioText(efficiency.cost_usd);
  const shown = shownUse(efficiency);
  const trial = [
    ...(costs === null ? [] : [`costs ${usdText(own.cost_usd.mean)} against ${usdText(other.cost_usd.mean)}${costs}`]),
    ...(kind !== "results" && own.wall_ms_median !== null && other.wall_ms_median !== null
      ? [`takes ${durationText(own.wall_ms_median)} against ${durationText(other.wall_ms_median)}`]
      : []),
  ];
  const parts: readonly (Words | null)[] = [
    result?.measure !== "solved" && own.solved && other.solved
      ? say`${candidate} solved ${solvedText(own.solved)}, ${control} ${solvedText(other.solved)}`
      : null,
    trial.length > 0 ? say`a trial of ${candidate} ${trial.join(" and ")}` : null,
    shown === "" ? null : say`shown: ${{ figure: shown }}`,
  ];
  return joined(parts.filter((part) => part !== null));
}

/** Which tasks it speaks of. */
function forWords(series: Series, names: ArmNames): Words {
  const { scenarios, rounds, like_these, flags, control, result } = series;
  const [first] = scenarios;
  if (first === undefined || rounds === 0 || !like_these) return [];
  const { claim, tasks, ahead, behind, look } = like_these;
  const candidate = armWord(names, candidateSide(names, control));
  const split = `ahead in ${countText(ahead)} and behind in ${countText(behind)} after ${counted(look, "trial")} of each`;
  if (claim !== null)
    return say`Tasks like these ${countText(tasks)}, as if they were drawn from one source: ${candidate} is ${split}.`;
  const trials = counted(rounds, "trial");
  const many = result?.clusters ? clustersText(result.clusters) : counted(tasks, "task");
  const these = tasks === 1 ? `${memberName(first)} alone, in ${trials}` : `These ${many}, ${trials} of each`;
  if (flags.includes("few_tasks"))
    return [`${these}. ${counted(tasks, "task")} cannot show anything of others, however often they run.`];
  const known = seriesAnswerOf(series) !== "not_known";
  return known ? say`${these}. It is not shown for others like them: ${candidate} is ${split}.` : [`${these}.`];
}

/** Doubts that have room in a line. */
const TOLD = 3;

/** The gravest first, as the flags of a series stand. */
function doubtWords(series: Series, names: ArmNames): Words {
  const flags = series.flags
    .filter((flag) => flag !== "earlier_trials" && flag !== "few_tasks")
    .map((flag) => seriesFlagText(flag, series).title);
  const all = [
    ...lapse(series, names),
    ...missing(series, names),
    ...amongOthers(series),
    ...flags,
    ...stoppedEarly(series),
  ].map((text, index) => (index === 0 ? text : text.replace(/^[A-Z]/, (letter) => letter.toLowerCase())));
  if (all.length === 0) return [];
  const more = all.length > TOLD ? [`and ${countText(all.length - TOLD)} more below`] : [];
  return [`${[...all.slice(0, TOLD), ...more].join("; ")}.`];
}

/** What was established before, and is no longer. */
function lapse({ undecided_by, headline: { claim } }: Series, names: ArmNames): readonly string[] {
  if (undecided_by === "results_changed") return [RESULTS_CHANGED.replace(/^r/, "R")];
  if (undecided_by !== "lapsed" || !claim) return [];
  return [
    `After ${counted(claim.at_trial, "trial")} ${names[claim.side]} was shown to be ahead, and later trials took that back`,
  ];
}

/** Of many comparisons some claim by chance. */
function amongOthers({ ledger, conclusion, scenarios, kind, plan }: Series): readonly string[] {
  if (preferredSide(conclusion) === undefined) return [];
  if (ledger === null && kind === "planned" && plan?.scripted === false)
    return ["Without a state directory nobody knows how many comparisons there were"];
  if (ledger === null || ledger.comparisons < 2) return [];
  const { comparisons, claims, by_chance } = ledger;
  const what = kind === "results" ? "this table" : scenarios.length === 1 ? "this scenario" : "these scenarios";
  const chance = by_chance.toFixed(1).replace(/^0/, "");
  return [`Claim ${claims} among ${countText(comparisons)} comparisons on ${what}; by chance alone about ${chance}`];
}

function missing(
  { counts: { invalid, failed, cancelled, deleted }, missing_by }: Series,
  names: ArmNames,
): readonly string[] {
  const lost = invalid + failed + cancelled + deleted;
  const by = (["a", "b"] as const).find((side) => missing_by[side] === lost);
  return lost === 0 ? [] : [`${counted(lost, "trial")} gave no result${by ? ` of ${names[by]}` : ""}`];
}

/** It stopped at a good moment for the arm that is ahead. */
const stoppedEarly = ({ stop, conclusion }: Series): readonly string[] =>
  stop === "sure" && conclusion !== "undecided"
    ? ["A series that stops early tends to show too large a difference: rely on the range"]
    : [];

/** Parts of a sentence, behind each other. */
const joined = (parts: readonly Words[]): Words =>
  parts.length === 0 ? [] : [...parts.flatMap((part, index) => (index === 0 ? part : ["; ", ...part])), "."];
