import type { Contest, ContestArm } from "../domain/contest.ts";
import { MAX_TRIALS } from "../domain/defaults.ts";
import { counted, countText } from "../domain/number-text.ts";
import { seriesFlagText } from "../domain/series-flags.ts";
import type { SeriesAnswer } from "../domain/series-summary.ts";
import { say, type Word, type Words, wordsText } from "../domain/words.ts";
import { gateReasonText, pointsOf } from "./first-line.ts";
import type { Again, SixLines } from "./six-lines.ts";
import { shownUse } from "./words/efficiency.ts";

export { armStandingText, contestTable, pairTable, RANKS_TEXT, rangeText, valueText } from "./words/contest-table.ts";

type Told = Omit<Contest, "statement">;

/** What a contest says, in as many lines as a series; the first is the same in every door. */
export function contestLines(contest: Told, again?: Again): SixLines {
  const lines = [
    { label: "So", words: soWords(contest) },
    { label: "Also", words: alsoWords(contest) },
    { label: "For", words: forWords(contest) },
    { label: "Doubts", words: doubtWords(contest) },
    { label: "Next", ...nextStep(contest, again) },
  ] as const;
  return { first: firstWords(contest), lines: lines.filter(({ words }) => words.length > 0) };
}

/** What it compares, and on what. */
export const contestTitle = ({ contest, members }: Pick<Told, "contest" | "members">): string =>
  `${counted(contest.arms.length, "arm")}, ${counted(members, "task")}`;

/** Plain sentences, in the order of the lines. */
export function contestStatement(contest: Told): string {
  const { first, lines } = contestLines(contest);
  const said = lines.filter(({ label }) => label !== "Next").map(({ words }) => wordsText(words));
  return [`${wordsText(first)}.`, ...said].join(" ");
}

/** How far it is known who is best, or which candidate is better, for a colour. */
export function contestAnswerOf({ contest: { mode, arms } }: Told): SeriesAnswer {
  if (mode === "best") return arms.filter(({ status }) => status === "best_set").length === 1 ? "better" : "not_known";
  const claims = arms.map(({ claim }) => claim);
  return (["better", "not_worse", "worse"] as const).find((one) => claims.includes(one)) ?? "not_known";
}

/** Arms whose names a sentence has room for; of a contest of more, each list has the first few. */
const NAMED = 8;
const FEW = 4;

const isLong = ({ contest: { arms } }: Told) => arms.length > NAMED;

const mostNames = (contest: Told) => (isLong(contest) ? FEW : NAMED);

/** `x`, `x and y`, `x, y and z`. */
function namesText(arms: readonly Pick<ContestArm, "arm_id">[], most = NAMED): string {
  // One more takes no more room than its name.
  const shown = arms.length > most + 1 ? most : arms.length;
  const names = arms.slice(0, shown).map(({ arm_id }) => arm_id);
  const more = arms.length > shown ? [`${countText(arms.length - shown)} more`] : [];
  const all = [...names, ...more];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

const isAre = (arms: readonly unknown[]) => (arms.length === 1 ? "is" : "are");

function firstWords(contest: Told): Words {
  const { mode, control, arms } = contest.contest;
  const yet = contest.state === "running" ? " yet" : "";
  if (arms.every(({ trials }) => trials === 0)) return [`${counted(arms.length, "arm")}: no trial counts${yet}`];
  if (mode === "best") return bestWords(arms, mostNames(contest));
  const groups = [
    { claim: "better", text: "better" },
    { claim: "not_worse", text: `not worse by ${pointsOf(contest.levels.not_worse_by)} or more` },
    { claim: "worse", text: "worse" },
  ] as const;
  // The table has the names of all.
  const short = (own: readonly ContestArm[]) => (isLong(contest) ? countText(own.length) : namesText(own));
  const told = groups.flatMap(({ claim, text }) => {
    const own = arms.filter((arm) => arm.claim === claim);
    const names = claim === "better" ? namesText(own, mostNames(contest)) : short(own);
    return own.length === 0 ? [] : [say`${{ figure: names }} ${isAre(own)} ${text}`];
  });
  const open = arms.filter(({ arm_id, claim }) => arm_id !== control && claim === null);
  const unknown = open.length === 0 ? [] : [say`nothing is shown of ${short(open)}${yet}`];
  return say`Against ${control ?? ""}: ${joined([...told, ...unknown])}`;
}

function bestWords(arms: readonly ContestArm[], most: number): Words {
  const left = arms.filter(({ status }) => status === "best_set");
  const [first] = left;
  if (left.length === 1 && first)
    return say`${{ figure: first.arm_id }} is best: each of the other ${countText(arms.length - 1)} is out`;
  if (left.length === arms.length) return [`No arm is out: each of these ${countText(arms.length)} may be best`];
  return say`One of these ${countText(left.length)} is best: ${{ figure: namesText(left, most) }}`;
}

/** The answer in few words, for a picture. */
export function contestHeadline(contest: Told): string {
  const { mode, arms } = contest.contest;
  const left = arms.filter(({ status }) => status === "best_set");
  const answer = contestAnswerOf(contest);
  if (mode === "best" && answer === "better") return `${left[0]?.arm_id} is best`;
  if (mode === "best")
    return left.length === arms.length ? "No arm is out" : `One of ${countText(left.length)} is best`;
  if (answer === "not_known") return "Not known yet";
  const told = arms.filter(({ claim }) => claim === answer);
  const what = answer.replace("_", " ");
  return told.length === 1
    ? `${told[0]?.arm_id} is ${what}`
    : `${countText(told.length)} of ${countText(arms.length - 1)} are ${what}`;
}

/** Reasons of shut gates that a line has room for. */
const REASONS = 3;

function soWords(contest: Told): Words {
  const { control, arms } = contest.contest;
  const passing = arms.filter(({ gate }) => gate !== null);
  const passes =
    passing.length === 0 ? [] : [say`the gate lets ${{ figure: namesText(passing, mostNames(contest)) }} pass`];
  if (control === null) return sentence(passes.length > 0 ? passes : [shutForAll(contest)]);
  const shut = arms.filter(({ arm_id, gate }) => gate === null && arm_id !== control);
  const told = isLong(contest) ? 1 : REASONS;
  const reasons = shut.slice(0, told).map(({ arm_id }, place) => {
    const gate = place === 0 && passing.length === 0 ? "the gate" : "it";
    return [`${gate} stays shut for ${arm_id}, because ${whyShut(contest, arm_id)}`];
  });
  const more = shut.length > told ? [[`and for ${countText(shut.length - told)} more`]] : [];
  return sentence([...passes, ...reasons, ...more]);
}

/** Without a control, where nobody passes. */
function shutForAll(contest: Told): Words {
  const [best, other] = contest.contest.arms.filter(({ status }) => status === "best_set");
  if (best === undefined || other !== undefined) return ["the gate stays shut, because more than one may be best"];
  return say`the gate stays shut for ${{ figure: best.arm_id }}, because ${whyShut(contest, best.arm_id)}`;
}

function whyShut({ contest, gate_reasons, levels }: Told, arm_id: string): string {
  const reason = gate_reasons?.[arm_id];
  if (contest.control === null && reason?.because === "worse") return "another arm is better";
  if (contest.control === null && reason?.because === "not_shown") return "another arm may be best";
  const told = { candidate: arm_id, control: contest.control ?? "the others", not_worse_by: levels.not_worse_by };
  return gateReasonText(reason ?? { because: "not_shown", needs: null }, told);
}

/** What the gate says of an arm. */
export function armText(contest: Told, arm_id: string): string {
  const opens = contest.gate[arm_id] != null;
  return opens
    ? `The gate lets ${arm_id} pass.`
    : `The gate stays shut for ${arm_id}, because ${whyShut(contest, arm_id)}.`;
}

/** What is shown of what a candidate uses against the control, and which order does not hold. */
function alsoWords({ contest: { control, arms, cycles = [] } }: Told): Words {
  const used = arms.flatMap(({ arm_id, efficiency }) => {
    const shown = efficiency ? shownUse(efficiency) : "";
    return shown === "" || control === null ? [] : [say`shown of ${arm_id}: ${{ figure: shown }}`];
  });
  const round = cycles.map((cycle) => [
    `claims go round: ${cycle.map((arm, place) => `${arm} is better than ${cycle[(place + 1) % cycle.length]}`).join(", ")}`,
  ]);
  return sentence([...round, ...used]);
}

function forWords({ contest: { control, arms }, members, rounds }: Told): Words {
  if (rounds === 0) return [];
  const these = `${members === 1 ? "This task" : `These ${counted(members, "task")}`}, ${counted(rounds, "trial")} of each.`;
  const claimed = arms.flatMap(({ arm_id, like_these }) =>
    like_these?.claim ? `${arm_id} is ${like_these.claim}` : [],
  );
  if (control === null || claimed.length === 0) return [these];
  return [
    `${these} Against ${control} on tasks like these, as if they were drawn from one source: ${claimed.join(", ")}.`,
  ];
}

/** Doubts that have room in a line. */
const TOLD = 3;

function doubtWords(contest: Told): Words {
  const stopped = contest.contest.arms.flatMap(({ arm_id, out_at_round }) =>
    out_at_round === null || contest.imported ? [] : `${arm_id} after round ${countText(out_at_round)}`,
  );
  const early =
    stopped.length === 0 || contest.contest.keep_running
      ? []
      : [`Stopped: ${stopped.join(", ")}. What stops at a good moment shows too large a difference: rely on the range`];
  const flags = contest.flags
    .filter((flag) => flag !== "earlier_trials" && flag !== "few_tasks")
    .map((flag) => seriesFlagText(flag, {}).title);
  const all = [...early, ...flags].map((text, place) =>
    place === 0 ? text : text.replace(/^[A-Z]/, (letter) => letter.toLowerCase()),
  );
  const more = all.length > TOLD ? [`and ${countText(all.length - TOLD)} more`] : [];
  return all.length === 0 ? [] : [`${[...all.slice(0, TOLD), ...more].join("; ")}.`];
}

interface Step {
  readonly words: Words;
  readonly command?: string;
}

function nextStep(contest: Told, again: Again): Step {
  const { contest: told, state, imported, limits } = contest;
  if (state === "running")
    return { words: [`Wait: ${countText(contest.rounds)} of ${counted(limits?.trials ?? 0, "round")} are complete.`] };
  const open = told.arms.filter(isOpen);
  if (open.length === 0 || (told.mode === "best" && open.length === 1)) return { words: mergeWords(told.arms) };
  if (imported)
    return {
      words: [`Add results of ${namesText(open, mostNames(contest))} to the table, and read it again.`],
    };
  return moreTrials(contest, open, again);
}

/** Whether more trials of it would tell something. */
const isOpen = ({ status, claim, settled }: ContestArm): boolean =>
  !settled && (status === "best_set" || (status === "candidate" && claim === null));

function moreTrials({ limits, series_id }: Told, open: readonly ContestArm[], again: Again): Step {
  const trials = Math.min(MAX_TRIALS, 2 * (limits?.trials ?? 1));
  const flags = ` --continue ${series_id} --trials ${trials}`;
  const more = `Run more trials of ${namesText(open)}:`;
  if (again) return { words: [more], command: `${again}${flags}` };
  const how = again === null ? ` --trials ${trials} and a --state-dir` : flags;
  return { words: [`${more} the same command with${how}.`] };
}

function mergeWords(arms: readonly ContestArm[]): Words {
  const best = arms.find(({ gate }) => gate !== null);
  return best ? say`Take ${{ figure: best.arm_id }}.` : ["Keep what there is: no candidate may pass."];
}

const joined = (parts: readonly Words[]): Words =>
  parts.flatMap((part, index): readonly Word[] => (index === 0 ? part : ["; ", ...part]));

/** Parts as one sentence; nothing of none. */
function sentence(parts: readonly Words[]): Words {
  const [first, ...others] = joined(parts);
  if (first === undefined) return [];
  const begun = typeof first === "string" ? first.replace(/^[a-z]/, (letter) => letter.toUpperCase()) : first;
  return [begun, ...others, "."];
}
