import { checkScoreText } from "../../../domain/check-result.ts";
import type { CheckResult, ProbeResult } from "../../../domain/evidence.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { Pace } from "../../../runtime/pace.ts";
import { CLEAN_COST, cleanLine } from "./clean-text.ts";
import { clip, draftText, endsThatFit, LEFT_OUT, measured, type TextDraft } from "./clip.ts";
import type { RedactIdentity } from "./identity-redactor.ts";
import { linesBytes, type Section, type ViewLine } from "./section.ts";

/** Characters of the reason why a check did not pass. */
const REASON_CHARS = 160;

/** Stands before an arm's words, and what a check printed, where they follow a line of ours. */
const INDENT = "  ";

/** Answers, read but not yet cut. */
interface AnswerDraft {
  /** `head` says to what it answers; null where there is one answer. */
  readonly parts: readonly { readonly head: ViewLine | null; readonly text: TextDraft }[];
  /** What showing all of it takes, and the part that is never cut. */
  readonly bytes: number;
  readonly headBytes: number;
  /** Names that were replaced. */
  readonly redactions: number;
}

const ANSWER_ITEM = { kind: "answer", ref: "final" } as const;

/** The answers of a conversation, with lines of ours between them. */
export function draftAnswers(
  { answers, final_answer }: Pick<ArmSummary, "answers" | "final_answer">,
  draft: (text: string) => TextDraft,
): AnswerDraft {
  const parts =
    answers === undefined
      ? [{ head: null, text: draft(final_answer ?? "") }]
      : answers.map((text, index) => ({ head: answerHead(index), text: indented(draft(text)) }));
  const headBytes = linesBytes(parts.flatMap(({ head }) => head ?? []));
  return {
    ...{ parts, headBytes },
    bytes: parts.reduce((sum, { text }) => sum + text.bytes, headBytes),
    redactions: parts.reduce((sum, { text }) => sum + text.redactions, 0),
  };
}

/** A line of the arm's own is never like one of ours. */
const indented = ({ lines, partial, redactions }: TextDraft): TextDraft =>
  measured(
    lines.map((line) => INDENT + line),
    partial,
    redactions,
  );

const answerHead = (index: number): ViewLine => ({
  text: index === 0 ? "To the task:" : `To follow-up ${index}:`,
  authored: false,
  item: ANSWER_ITEM,
});

/** An answer that is the work itself. */
export function workSection(draft: AnswerDraft, bytes: number): Section {
  const section = answerSection(draft, bytes);
  return { ...section, title: "The final answer, which is the work", core_cut: section.omissions.length > 0 };
}

/** What the arm says about its own work. */
export function answerSection({ parts, headBytes }: AnswerDraft, bytes: number): Section {
  const base = { name: "answer", title: "The agent's own claim, unverified", core_cut: false } as const;
  if (parts.every(({ text }) => text.lines.length === 0))
    return {
      ...base,
      lines: [{ text: "No final answer was given.", authored: false, item: ANSWER_ITEM }],
      omissions: [],
    };
  const shares = shareOut(
    parts.map(({ text }) => text.bytes),
    bytes - headBytes,
  );
  const shown = parts.map(({ head, text }, index) => ({ head, ...fitText(text, shares[index] ?? 0) }));
  const told = (text: string, authored: boolean): ViewLine => ({ text, authored, item: ANSWER_ITEM });
  return {
    ...base,
    lines: shown.flatMap(({ head, lines }) => [
      ...(head ? [head] : []),
      ...(head && lines.length === 0 ? [told("An empty answer.", false)] : lines.map((text) => told(text, true))),
    ]),
    omissions: shown.some(({ cut }) => cut) ? ["The middle of the final answer is left out for space."] : [],
  };
}

/** All lines if they fit into `bytes`; else head and tail with a note between them. */
function fitText(draft: TextDraft, bytes: number, note = LEFT_OUT): { lines: readonly string[]; cut: boolean } {
  const { lines, partial } = draft;
  if (draft.bytes <= bytes) return { lines, cut: partial };
  const { head, tail } = endsThatFit(lines, bytes);
  return { lines: [...lines.slice(0, head), note, ...lines.slice(lines.length - tail)], cut: true };
}

/** Hidden checks, read but not yet cut. */
interface ProbeDraft {
  readonly checks: readonly { readonly head: ViewLine; readonly printed: TextDraft }[];
  /** What showing all of it takes, and the part that is never cut. */
  readonly bytes: number;
  readonly headBytes: number;
  /** Names that were replaced. */
  readonly redactions: number;
}

export async function draftProbe(probe: ProbeResult, limit: number, redact: RedactIdentity): Promise<ProbeDraft> {
  const pace = new Pace();
  const checks: ProbeDraft["checks"][number][] = [];
  for (const check of probe.checks) {
    await pace.bytes(CLEAN_COST * Math.min(check.output.length, limit));
    checks.push({ head: headOf(check), printed: printedBy(check, limit, redact) });
  }
  const headBytes = linesBytes(checks.map(({ head }) => head));
  return {
    ...{ checks, headBytes },
    bytes: checks.reduce((sum, { printed }) => sum + printed.bytes, headBytes),
    redactions: checks.reduce((sum, { printed }) => sum + printed.redactions, 0),
  };
}

/** Arms stored by an earlier version have the text that a check looks for without quotes: it must not tell them apart. */
const unquoted = (reason: string) =>
  reason.replace(/^((?:the answer|output) (?:contains|does not contain)) "(.*)"/s, "$1 $2");

function headOf({ id, status, score, reason }: CheckResult): ViewLine {
  const why = reason === null ? "" : ` (${clip(cleanLine(unquoted(reason)), REASON_CHARS)})`;
  const number = score === undefined || status === "error" ? "" : ` ${checkScoreText(score)}`;
  return { text: `${id}: ${status}${number}${why}`, authored: false, item: { kind: "probe", ref: id } };
}

/** The output of a check that passed is not shown: it tells nothing. */
function printedBy({ status, output }: CheckResult, limit: number, redact: RedactIdentity): TextDraft {
  const { lines, partial, redactions } = draftText(
    status === "pass" || status === "scored" ? "" : output,
    limit,
    redact,
  );
  return measured(
    lines.filter((line) => line !== "").map((line) => INDENT + line),
    partial,
    redactions,
  );
}

/** Every check, and the output of those that did not pass. */
export function probeSection({ checks, headBytes }: ProbeDraft, bytes: number): Section {
  const shares = shareOut(
    checks.map(({ printed }) => printed.bytes),
    bytes - headBytes,
  );
  const shown = checks.map(({ head, printed }, index) => ({
    head,
    ...fitText(printed, shares[index] ?? 0, INDENT + LEFT_OUT),
  }));
  return {
    name: "probe",
    title: "Hidden checks, run after the agent had stopped",
    lines: shown.flatMap(({ head, lines }) => [
      head,
      ...lines.map((text): ViewLine => ({ text, authored: true, item: head.item })),
    ]),
    omissions: shown.some(({ cut }) => cut) ? ["The middle of a check's output is left out for space."] : [],
    core_cut: false,
  };
}

/** Equal shares. A need below its share leaves the rest to the others. */
function shareOut(needs: readonly number[], bytes: number): number[] {
  const shares = needs.map(() => 0);
  let [left, others] = [Math.max(0, bytes), needs.length];
  for (const index of [...needs.keys()].sort((one, other) => (needs[one] ?? 0) - (needs[other] ?? 0))) {
    const share = Math.min(needs[index] ?? 0, Math.floor(left / others));
    shares[index] = share;
    left -= share;
    others -= 1;
  }
  return shares;
}
