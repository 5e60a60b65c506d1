import { MAX_TRIALS } from "../../domain/defaults.ts";
import { cut } from "../../domain/excerpt.ts";
import { memberName } from "../../domain/member.ts";
import { counted, countText } from "../../domain/number-text.ts";
import type { Series } from "../../domain/series.ts";
import { seriesAnswerOf } from "../../domain/series-answer.ts";
import { preferredSide } from "../../domain/series-status.ts";
import { isFinal } from "../../domain/session-state.ts";
import { say, type Words } from "../../domain/words.ts";
import { candidateSide, type GateReason, otherSide } from "../first-line.ts";
import { namesOf } from "../series-words.ts";

interface Step {
  readonly words: Words;
  readonly command?: string | undefined;
}

/** What to do now: one step with its number. There is always one. */
export function nextStep(series: Series, again: string | null | undefined): Step {
  const names = namesOf(series.arms);
  const side = candidateSide(names, series.control);
  if (series.state === "running") return { words: [waiting(series)] };
  if (isLucky(series)) return confirm(series, again);
  if (series.gate[names[side]] != null) return merge(series, names[side]);
  if (seriesAnswerOf(series) === "worse") return keep(series, names[side], names[otherSide(side)]);
  const because = series.gate_reasons?.[names[side]]?.because;
  const step = because === undefined ? undefined : STEPS[because];
  return step ? { words: [step(series)] } : moreTrials(series, again);
}

const waiting = ({ counts, limits, scenarios }: Series): string =>
  `Wait: ${countText(counts.trials)} of ${counted((limits?.trials ?? 0) * scenarios.length, "planned trial")} count so far.`;

/** Comparisons from which on a claim by chance is likely enough. */
const MANY = 5;

/** A claim among many comparisons, which no earlier trials of the same comparison made. */
function isLucky({ ledger, conclusion, levels, earlier, scenarios }: Series): boolean {
  if (ledger === null || ledger.comparisons < MANY || preferredSide(conclusion) === undefined) return false;
  return ![earlier, ...scenarios.map((row) => row.earlier)].some((before) => before && before.e >= 1 / levels.alpha);
}

/** A new series has to show it by its own trials. */
function confirm({ ledger, kind, plan }: Series, again: string | null | undefined): Step {
  const why = `It is one of ${countText(ledger?.comparisons ?? 0)} comparisons: confirm it on fresh`;
  if (kind === "results") return { words: [`${why} results before you merge: run both arms once more.`] };
  // The same seed chooses the same scripts.
  const seed = plan?.scripted ? " --seed confirm" : "";
  if (again) return { words: [`${why} trials before you merge, as a new series:`], command: `${again}${seed}` };
  return {
    words: [`${why} trials before you merge, as a new series: the same command once more${seed && ` with${seed}`}.`],
  };
}

function merge({ gate }: Series, candidate: string): Step {
  const asked = /^[a-z_]\w*$/i.test(candidate) ? `.${candidate}` : `[${JSON.stringify(candidate)}]`;
  const condition = `.gate${asked} == ${JSON.stringify(gate[candidate])}`;
  return {
    words: say`Merge ${{ figure: candidate }}. The same question for a pipeline:`,
    // A name of an imported table may hold a quote.
    command: `jq -e '${condition.replaceAll("'", `'\\''`)}' series.json`,
  };
}

/** The first trial that the candidate lost tells most. */
function keep(series: Series, candidate: string, control: string): Step {
  const ahead = series.arms.a.arm_id === control ? 1 : -1;
  const lost = series.trials.find(({ d, counted }) => counted && d === ahead);
  const read =
    lost === undefined
      ? ""
      : ` ${series.kind === "results" ? "Look at" : "Read"} ${trialName(lost)}: ${candidate} lost it.`;
  return { words: say`Keep ${{ figure: control }}.${read}` };
}

const trialName = ({ trial, session_id, ...member }: Series["trials"][number]) =>
  `trial ${trial} of ${memberName(member)}${session_id === undefined ? "" : ` (${session_id})`}`;

/** Reasons that more trials would not take away. */
const STEPS: Partial<Readonly<Record<GateReason["because"], (series: Series) => string>>> = {
  judge_failed_self_test: () => "Take another judge with --judge-model, and test it with abeval judge-test.",
  judge_kin: () => "Take a judge of another family with --judge-model, or add a hidden check.",
  no_contrast: () => "Change one arm: a series of two equal arms shows only chance.",
  nothing_solved: ({ kind }) =>
    kind === "results"
      ? "Make the tasks easier or the checks right: nothing is learned where nobody passes."
      : "Make the task easier or the checks right: abeval check says what they do now.",
  no_variation: () => "Let the trials differ: give the model a temperature, or the arm more scripts or rows.",
  checks_could_not_run: () => "Repair the check: abeval check says what it lacks.",
  selected_baseline: () => "Bless a series of fixed length that preferred neither arm, and compare with that.",
  other_trials_disagree: () =>
    "This comparison has spent its evidence: bless the arm with abeval bless, and compare a new one.",
  results_changed: () => "Find what changed, and begin a new comparison.",
  inputs_from_checkout: () => "Read the input from a commit (--baseline git:<ref>:<path>), or pin its SHA-256.",
};

/** One more try with as many trials as would do, by the forecast or for equal arms. */
function moreTrials(series: Series, again: string | null | undefined): Step {
  const { kind, series_id, scenarios, forecast, limits, state } = series;
  if (kind === "results") return { words: [moreResults(series)] };
  const more = moreOf(series);
  const about = `${countText(more)} more trial${more === 1 ? "" : "s"}`;
  if (kind === "stored") return { words: [`Run about ${about}: abeval run with --trials ${more}.`] };
  const planned = limits?.trials ?? 0;
  const left = forecast.trials_left ?? 0;
  const needsMore = isFinal(state) && left < more;
  const trials = needsMore ? Math.min(MAX_TRIALS, planned + Math.ceil((more - left) / scenarios.length)) : planned;
  const flags = ` --continue ${series_id}${trials > planned ? ` --trials ${trials}` : ""}`;
  if (again) return { words: [`Run about ${about}:`], command: `${again}${flags}` };
  const how = again === null ? ` --trials ${Math.min(MAX_TRIALS, planned + more)} and a --state-dir` : flags;
  return { words: [`Run about ${about}: the same command with${how}.`] };
}

/** What the table lacks, where that shuts the gate. */
function moreResults(series: Series): string {
  const { failed, invalid } = series.counts;
  const missing = failed + invalid;
  const { clusters } = series.result ?? {};
  if (clusters && !isForMissing(series))
    return `Add rows with other values of \`${cut(clusters.field, 60)}\` to the table, and read it again.`;
  const add = isForMissing(series)
    ? `the ${counted(missing, "result")} that ${missing === 1 ? "is" : "are"} missing`
    : `about ${countText(moreOf(series))} more ${moreOf(series) === 1 ? "pair" : "pairs"} (one task, both arms)`;
  return `Add ${add} to the table, and read it again.`;
}

const isForMissing = ({ gate_reasons = {} }: Series): boolean =>
  Object.values(gate_reasons).some(({ because }) => because === "missing_trials");

/** By the forecast, or as many as equal arms need; else as many again. */
function moreOf({ forecast, gate_reasons, result, counts }: Series): number {
  const needs = Object.values(gate_reasons ?? {}).find((reason) => reason.needs !== null)?.needs ?? null;
  const lacking = needs === null ? null : needs - (result?.n ?? 0);
  const known = [forecast.more_trials, lacking].filter((more) => more !== null && more > 0) as number[];
  return known.length > 0 ? Math.min(...known) : Math.max(counts.trials, 10);
}
