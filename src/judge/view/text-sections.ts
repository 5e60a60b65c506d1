import type { CheckResult, ProbeResult } from "../../domain/evidence.ts";
import { cleanLine } from "./clean-text.ts";
import { clip, clipLines } from "./clip.ts";
import type { Section, ViewLine } from "./section.ts";

/** Characters of the reason why a check did not pass. */
const REASON_CHARS = 160;

/** What the arm says of its own work. */
export function answerSection(answer: string | null, bytes: number): Section {
  const base = { name: "answer", title: "The agent's own claim, unverified", core_cut: false } as const;
  const item = { kind: "answer", ref: "final" } as const;
  if (answer === null || answer.trim() === "")
    return { ...base, lines: [{ text: "No final answer was given.", authored: false, item }], omissions: [] };
  const { lines, cut } = clipLines(answer, bytes);
  return {
    ...base,
    lines: lines.map((text) => ({ text, authored: true, item })),
    omissions: cut ? ["The middle of the final answer is left out for space."] : [],
  };
}

/** Hidden checks and what they printed, those that did not pass first in line for space. */
export function probeSection(probe: ProbeResult, bytes: number): Section {
  const unpassed = probe.checks.filter(({ status }) => status !== "pass");
  const share = Math.floor(bytes / Math.max(1, unpassed.length));
  const outputs = new Map(unpassed.map((check) => [check.id, clipLines(check.output, share)]));
  const cut = [...outputs.values()].some((output) => output.cut);
  return {
    name: "probe",
    title: "Hidden checks, run after the agent had stopped",
    lines: probe.checks.flatMap((check) => checkLines(check, outputs.get(check.id)?.lines ?? [])),
    omissions: cut ? ["The middle of a check's output is left out for space."] : [],
    core_cut: false,
  };
}

function checkLines(check: CheckResult, output: readonly string[]): ViewLine[] {
  const item = { kind: "probe", ref: check.id } as const;
  const reason = check.reason === null ? "" : ` (${clip(cleanLine(check.reason), REASON_CHARS)})`;
  const head = { text: `${check.id}: ${check.status}${reason}`, authored: false, item };
  const printed = output.filter((line) => line !== "").map((line) => ({ text: `  ${line}`, authored: true, item }));
  return [head, ...printed];
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
