import type { CheckResult, ProbeResult } from "../../../domain/evidence.ts";
import { Pace } from "../../../runtime/pace.ts";
import { CLEAN_COST, cleanLine } from "./clean-text.ts";
import { clip, draftText, fitText, LEFT_OUT, measured, type TextDraft } from "./clip.ts";
import { linesBytes, type Section, type ViewLine } from "./section.ts";

/** Characters of the reason why a check did not pass. */
const REASON_CHARS = 160;

/** What the arm says about its own work. */
export function answerSection(draft: TextDraft, bytes: number): Section {
  const base = { name: "answer", title: "The agent's own claim, unverified", core_cut: false } as const;
  const item = { kind: "answer", ref: "final" } as const;
  if (draft.lines.length === 0)
    return { ...base, lines: [{ text: "No final answer was given.", authored: false, item }], omissions: [] };
  const { lines, cut } = fitText(draft, bytes);
  return {
    ...base,
    lines: lines.map((text) => ({ text, authored: true, item })),
    omissions: cut ? ["The middle of the final answer is left out for space."] : [],
  };
}

/** Hidden checks, read but not yet cut. */
interface ProbeDraft {
  readonly checks: readonly { readonly head: ViewLine; readonly printed: TextDraft }[];
  /** What showing all of it takes, and the part that is never cut. */
  readonly bytes: number;
  readonly headBytes: number;
}

/** Stands before what a check printed. */
const INDENT = "  ";

export async function draftProbe(probe: ProbeResult, limit: number): Promise<ProbeDraft> {
  const pace = new Pace();
  const checks: ProbeDraft["checks"][number][] = [];
  for (const check of probe.checks) {
    await pace.bytes(CLEAN_COST * Math.min(check.output.length, limit));
    checks.push({ head: headOf(check), printed: printedBy(check, limit) });
  }
  const headBytes = linesBytes(checks.map(({ head }) => head));
  return { checks, headBytes, bytes: checks.reduce((sum, { printed }) => sum + printed.bytes, headBytes) };
}

function headOf({ id, status, reason }: CheckResult): ViewLine {
  const why = reason === null ? "" : ` (${clip(cleanLine(reason), REASON_CHARS)})`;
  return { text: `${id}: ${status}${why}`, authored: false, item: { kind: "probe", ref: id } };
}

/** The output of a check that passed is not shown: it tells nothing. */
function printedBy({ status, output }: CheckResult, limit: number): TextDraft {
  const { lines, partial } = draftText(status === "pass" ? "" : output, limit);
  return measured(
    lines.filter((line) => line !== "").map((line) => INDENT + line),
    partial,
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

/** What the sections above leave out. */
export function notesSection(sections: readonly Section[]): Section {
  const omissions = sections.flatMap((section) => section.omissions);
  const lines = (omissions.length > 0 ? omissions : ["Nothing was left out."]).map((text) => ({
    text,
    authored: false,
    item: null,
  }));
  return { name: "notes", title: "What was left out (no fault of the agent)", lines, omissions: [], core_cut: false };
}
