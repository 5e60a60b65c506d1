import { type Decision, type DecisionDetail, PROGRAM_ENDED } from "../../../domain/decision.ts";
import { splitMcpToolName } from "../../../domain/mcp-tool-name.ts";
import { type Effect, effectOf, isToolName } from "../../../domain/tool.ts";
import { Pace } from "../../../runtime/pace.ts";
import { cleanLine } from "./clean-text.ts";
import { bounded, clip, LINE_CHARS } from "./clip.ts";
import type { HiddenNotes } from "./hidden-notes.ts";
import { type RedactIdentity, withoutAgentPaths } from "./identity-redactor.ts";
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

/** A decision as the judge may read it: no times, tokens, costs or provider trouble. */
interface Step {
  readonly seq: number;
  /** Our own words. */
  readonly head: string;
  /** The arm's words, or output of its commands. */
  readonly body: readonly string[];
  readonly rank: (typeof RANKS)[number];
  /** Names replaced in the body. */
  readonly redactions: number;
}

/** When space is short, steps of the last rank go first. */
const RANKS = ["policy", "edit", "command", "other"] as const;

const RANK_OF: Readonly<Record<Effect, Step["rank"]>> = {
  read: "other",
  write: "edit",
  command: "command",
  opaque: "command",
};

type Description = Pick<Step, "head" | "rank"> & { readonly body?: readonly string[]; readonly narrative?: string };

function describeStep(decision: Decision, redact: RedactIdentity): Step {
  const { head, rank, body = [], narrative = "" } = describe(decision);
  const told = redact(cleanLine(bounded(narrative, LINE_CHARS, " ")));
  return {
    seq: decision.seq,
    head: `#${decision.seq} ${head}`,
    body: [...(told.text === "" ? [] : [told.text]), ...body],
    rank,
    redactions: told.count,
  };
}

function describe(decision: Decision): Description {
  if (!decision.detail) return { head: decision.kind, rank: "other", narrative: decision.summary };
  switch (decision.kind) {
    case "model_turn":
      return { head: helped(decision.detail, "says"), rank: "other", narrative: decision.detail.text };
    case "tool_call": {
      const call = toolCall(decision.detail);
      return { ...call, head: helped(decision.detail, call.head) };
    }
    case "policy_block": {
      const { tool, rule, input } = decision.detail;
      return { head: `${tool} refused before it ran (rule ${rule})`, rank: "policy", body: [`input ${input}`] };
    }
    case "policy_violation": {
      const { rule, severity, subject } = decision.detail;
      return { head: `policy violation (rule ${rule}, severity ${severity})`, rank: "policy", body: [subject] };
    }
    case "limit_warning":
      return { head: `told that a budget runs low: ${decision.detail.budget}`, rank: "policy" };
    case "limit_reached":
      return { head: `stopped by a budget: ${decision.detail.budget}`, rank: "policy" };
    case "provider_retry":
      return { head: "waited", rank: "other" };
    case "final_answer":
      return { head: "gives its final answer", rank: "other" };
    case "follow_up":
      return { head: `the user goes on: follow-up ${decision.detail.number}`, rank: "other" };
    case "error": {
      const { class: whose, code, message } = decision.detail;
      // The result of the call before it says the same without the name.
      return { head: `error (${whose})`, rank: "policy", ...(code !== PROGRAM_ENDED && { narrative: message }) };
    }
  }
}

/** The name of a server can tell which arm this is. */
function titleOf(tool: string): string {
  const foreign = splitMcpToolName(tool);
  return foreign ? `a tool of its own: ${foreign.tool}` : tool;
}

/** The output of a tool that reads is not shown: it is text of the fixture, and the diff shows what matters of it. */
function toolCall(detail: DecisionDetail<"tool_call">): Description {
  if (detail.own_tool !== undefined) return agentCall(detail);
  const { tool, effect, input, ok, exit_code, output } = detail;
  const ending = exit_code === null ? (ok ? "" : ", failed") : `, exit ${exit_code}`;
  const known = effect ?? effectOf(tool);
  // A model can call a tool by any name, so an unknown name is a text of the arm.
  if (known === undefined) return { head: `an unknown tool${ending}`, rank: "other", body: [`input ${input}`] };
  const printed = known === "command" || known === "opaque" ? [`output ${output}`] : [];
  return { head: `${titleOf(tool)}${ending}`, rank: RANK_OF[known], body: [`input ${input}`, ...printed] };
}

/** A step of an agent that another agent asked for help. */
const helped = ({ thread = 1 }: { readonly thread?: number }, head: string) => (thread > 1 ? `(helper) ${head}` : head);

/**
 * A call of an external agent, in our words alone: the names and fields of its own tools would tell which agent it is. Some
 * agents say how a command ended only when it failed.
 */
function agentCall({ tool, effect, input, ok, exit_code, output }: DecisionDetail<"tool_call">): Description {
  const ending = exit_code === null || exit_code === 0 ? (ok ? "" : ", failed") : `, exit ${exit_code}`;
  const known = effect ?? effectOf(tool);
  if (!isToolName(tool) || known === undefined) return { head: `a tool of its own${ending}`, rank: "other" };
  const printed = known === "command" ? [`output ${withoutAgentPaths(output)}`] : [];
  return { head: `${tool}${ending}`, rank: RANK_OF[known], body: [`input ${withoutAgentPaths(input)}`, ...printed] };
}
