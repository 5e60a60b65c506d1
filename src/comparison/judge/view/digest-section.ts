import type { Decision } from "../../../domain/decision.ts";
import { Pace } from "../../../runtime/pace.ts";
import { cleanLine } from "./clean-text.ts";
import { bounded, clip, LINE_CHARS } from "./clip.ts";
import { describeStep, RANKS, type Step } from "./describe-step.ts";
import type { HiddenNotes } from "./hidden-notes.ts";
import type { RedactIdentity } from "./identity-redactor.ts";
import { linesBytes, type Section, type ViewLine } from "./section.ts";

/** The first and the last steps always stay: how the arm began and how it ended. */
const FIRST_STEPS = 3;
const LAST_STEPS = 5;

/** Characters of a step's body when space is short. */
const SHORT_CHARS = 120;

/** Most bytes of a note that stands for a run of steps. */
const RUN_BYTES = 60;

/** Reading a step takes as long as reading this many entries of a directory when all its characters are disguised. */
const STEP_UNITS = 20;

interface DigestDraft {
  readonly steps: readonly Step[];
  readonly lines: readonly (readonly ViewLine[])[];
  /** What showing every step takes. */
  readonly bytes: number;
  readonly redactions: number;
}

export async function draftDigest(
  decisions: readonly Decision[],
  redact: RedactIdentity,
  hidden?: HiddenNotes,
): Promise<DigestDraft> {
  const pace = new Pace();
  const steps: Step[] = [];
  const lines: ViewLine[][] = [];
  for (const decision of decisions) {
    await pace.units(STEP_UNITS);
    if (isSideCall(decision) || hidden?.leavesOut(decision)) continue;
    const step = withoutNotes(describeStep(decision, redact), hidden);
    steps.push(step);
    lines.push(stepLines(step));
  }
  return {
    steps,
    lines,
    bytes: lines.reduce((sum, group) => sum + linesBytes(group), 0),
    redactions: steps.reduce((sum, { redactions }) => sum + redactions, 0),
  };
}

const withoutNotes = (step: Step, hidden: HiddenNotes | undefined): Step =>
  hidden ? { ...step, body: step.body.map(hidden.text) } : step;

/** Which small calls an agent makes besides its work would tell which agent it is. */
const isSideCall = (decision: Decision) => decision.kind === "model_turn" && decision.detail?.side === true;

/**
 * Shows every step if all fit. Otherwise runs of reading and talking collapse. If that is not enough, the text of steps is
 * shortened and steps are dropped by rank, the oldest first. A step that collapsed cannot be cited.
 */
export function digestSection(draft: DigestDraft, bytes: number): Section {
  const title = "What the agent did, step by step";
  if (draft.bytes <= bytes) return section(title, draft.lines.flat(), []);
  const important = draft.steps.map((step, index) => step.rank !== "other" || isEnd(index, draft.steps.length));
  const long = collapse(draft.steps, draft.lines, important);
  if (linesBytes(long) <= bytes) return section(title, long, ["Runs of steps are summarised for space."]);
  const shortLines = draft.lines.map(shortened);
  const kept = chooseByRank(draft.steps, shortLines, bytes);
  return section(title, collapse(draft.steps, shortLines, kept), [
    "Runs of steps are summarised and the text of steps is shortened for space.",
  ]);
}

const isEnd = (index: number, total: number) => index < FIRST_STEPS || index >= total - LAST_STEPS;

function section(title: string, lines: readonly ViewLine[], omissions: readonly string[]): Section {
  const none: ViewLine = { text: "No step was recorded.", authored: false, item: null };
  return { name: "digest", title, lines: lines.length > 0 ? lines : [none], omissions, core_cut: false };
}

function stepLines({ seq, head, body }: Step): ViewLine[] {
  const item = { kind: "decision", ref: String(seq) } as const;
  const texts = body.map((text) => `  ${clipLine(text, LINE_CHARS)}`);
  return [{ text: head, authored: false, item }, ...texts.map((text) => ({ text, authored: true, item }))];
}

/** One clean line of at most about `limit` characters, whatever the size of `text`. */
function clipLine(text: string, limit: number): string {
  return clip(cleanLine(bounded(text, limit, " ")), limit);
}

const shortened = ([head, ...body]: readonly ViewLine[]): ViewLine[] => [
  ...(head ? [head] : []),
  ...body.map((line) => ({ ...line, text: clip(line.text, SHORT_CHARS) })),
];

function chooseByRank(steps: readonly Step[], lines: readonly (readonly ViewLine[])[], bytes: number): boolean[] {
  const kept = steps.map((_, index) => isEnd(index, steps.length));
  const size = (index: number) => linesBytes(lines[index] ?? []) + RUN_BYTES;
  let left = kept.reduce((rest, ends, index) => (ends ? rest - size(index) : rest), bytes);
  const latestFirst = [...steps.keys()].reverse().filter((index) => !kept[index] && steps[index]?.rank !== "other");
  for (const index of latestFirst.sort((one, other) => rankOf(steps[one]) - rankOf(steps[other]))) {
    if (size(index) > left) continue;
    kept[index] = true;
    left -= size(index);
  }
  return kept;
}

const rankOf = (step: Step | undefined) => RANKS.indexOf(step?.rank ?? "other");

function collapse(
  steps: readonly Step[],
  lines: readonly (readonly ViewLine[])[],
  kept: readonly boolean[],
): ViewLine[] {
  const result: ViewLine[] = [];
  let run: Step[] = [];
  for (const [index, step] of steps.entries()) {
    if (!kept[index]) {
      run.push(step);
      continue;
    }
    result.push(...runNote(run), ...(lines[index] ?? []));
    run = [];
  }
  return [...result, ...runNote(run)];
}

function runNote(run: readonly Step[]): ViewLine[] {
  const [first, last] = [run.at(0), run.at(-1)];
  if (!first || !last) return [];
  const what = run.every(({ rank }) => rank === "other") ? "reading and talking steps" : "steps";
  const range = first === last ? `#${first.seq}` : `#${first.seq}-#${last.seq}`;
  return [{ text: `${range}: ${run.length} ${what}, not shown`, authored: false, item: null }];
}
