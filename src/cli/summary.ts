import { disqualifyingRules } from "../domain/disqualification.ts";
import type { ArmSummary, SessionOutcome } from "../domain/session.ts";
import type { CriterionScore, Verdict } from "../domain/verdict.ts";
import type { Painter } from "./paint.ts";

const BAR_WIDTH = 12;

/** What a person wants to know when the run is over: who, why, and how each criterion came out. */
export function summarise(outcome: SessionOutcome, painter: Painter): string {
  const { verdict, session_id } = outcome;
  if (verdict === null) return "";
  const lines = [
    "",
    headline(verdict, painter),
    ...wrap(verdict.statement, painter.columns - 4).map((line) => `  ${line}`),
    "",
    ...outcome.arms.flatMap((arm) => armLines(arm, painter)),
    ...whyInvalid(verdict).map((line) => `  ${line}`),
    "",
    ...criteriaLines(verdict, painter),
    ...(verdict.flags.length > 0 ? [painter.paint(`  flags: ${verdict.flags.join(", ")}`, "dim")] : []),
    painter.paint(`  ${session_id}`, "dim"),
    "",
  ];
  return `${lines.join("\n")}\n`;
}

function headline({ outcome, winner, decided_by, confidence }: Verdict, painter: Painter): string {
  const by = `decided by ${decided_by}, confidence ${confidence}`;
  if (outcome === "winner")
    return `${painter.paint(`${winner} wins`, "bold", "green")} ${painter.paint(`(${by})`, "dim")}`;
  return `${painter.paint(outcome, "bold", "yellow")} ${painter.paint(`(${by})`, "dim")}`;
}

/** Why the judge's answers could not be used; our own words, not the judge's. */
const whyInvalid = ({ outcome, calls }: Verdict) =>
  outcome === "invalid" ? calls.flatMap(({ order, error }) => (error ? [`order ${order}: ${error}`] : [])) : [];

function armLines(arm: ArmSummary, painter: Painter): string[] {
  const failed = (arm.probe?.checks ?? []).filter(({ status }) => status !== "pass");
  const missed = failed.map(({ id, reason }) => `${id}${reason ? ` (${reason})` : ""}`);
  return [
    armLine(arm, painter),
    ...disqualifyingRules(arm.violations).map((line) => painter.paint(`    disqualified: ${line}`, "yellow")),
    ...missed.map((line) => painter.paint(`    failed: ${line}`, "dim")),
  ];
}

function armLine(arm: ArmSummary, painter: Painter): string {
  const checks = arm.probe ? `${arm.probe.passed}/${arm.probe.total} checks` : "no checks";
  const changed = arm.changes ? changeText(arm.changes.files) : "no changes";
  const used = `${counted(arm.turns, "turn")}, ${counted(arm.tool_calls, "call")}, ${(arm.working_ms / 1000).toFixed(1)} s`;
  return `  ${painter.paint(arm.arm_id.padEnd(18), "bold")} ${arm.status}, ${checks}, ${changed}, ${used}`;
}

function changeText(files: readonly { added: number; removed: number }[]): string {
  const sum = (pick: (file: { added: number; removed: number }) => number) =>
    files.reduce((total, file) => total + pick(file), 0);
  return `${counted(files.length, "file")} +${sum((f) => f.added)} -${sum((f) => f.removed)}`;
}

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

function criteriaLines({ criteria, arm_a, arm_b }: Verdict, painter: Painter): string[] {
  const idWidth = Math.max(...criteria.map(({ id }) => id.length));
  const nameWidth = Math.max(arm_a.arm_id.length, arm_b.arm_id.length);
  return criteria.flatMap((criterion) => {
    const label = `  ${criterion.id.padEnd(idWidth)}`;
    if (!criterion.supported) return [painter.paint(`${label}  not scored`, "dim")];
    const indent = " ".repeat(label.length);
    return [
      `${label}  ${scoreBar(criterion, "a", arm_a.arm_id.padEnd(nameWidth), painter)}`,
      `${indent}  ${scoreBar(criterion, "b", arm_b.arm_id.padEnd(nameWidth), painter)}`,
    ];
  });
}

function scoreBar(criterion: CriterionScore, side: "a" | "b", name: string, painter: Painter): string {
  const score = (side === "a" ? criterion.score_a : criterion.score_b) ?? 0;
  const ahead = side === "a" ? (criterion.gap ?? 0) > 0 : (criterion.gap ?? 0) < 0;
  return `${painter.bar(score, BAR_WIDTH, ahead ? "green" : "blue")} ${score.toFixed(2)} ${name}`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
