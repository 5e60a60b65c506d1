import { costParts } from "../../../domain/at-least.ts";
import { isMissed, passedOf, resultWord, whyText } from "../../../domain/check-result.ts";
import { whyDisqualified } from "../../../domain/disqualification.ts";
import { endText } from "../../../domain/end-text.ts";
import type { CheckResult } from "../../../domain/evidence.ts";
import { counted, durationText } from "../../../domain/number-text.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { ArmSummary, SessionOutcome } from "../../../domain/session.ts";
import { sizeOf } from "../../../domain/size-of.ts";
import type { CriterionScore, Verdict } from "../../../domain/verdict.ts";
import { checkoutLines, decidedText, suspicionLines, unmetText } from "../../../domain/verdict-text.ts";
import { verdictHeadline, verdictNotes } from "../../../domain/verdict-words.ts";
import { wordsText } from "../../../domain/words.ts";
import { cells } from "./lanes.ts";
import type { Colour, Painter } from "./paint.ts";
import { wrap, wrapWords } from "./terminal.ts";

const BAR_WIDTH = 12;

/** Cells that a line needs for figures beside the names of the arms. */
const FIGURES_WIDTH = 30;

/** The summary of a run for a terminal: who won, why, and how each criterion came out. */
export function summarise(outcome: SessionOutcome, painter: Painter): string {
  const { verdict, session_id } = outcome;
  if (verdict === null) return "";
  const nameWidth = Math.max(...outcome.arms.map(({ arm_id }) => arm_id.length));
  const lines = [
    "",
    ...headline(outcome, verdict, painter),
    ...indented(2, wrapWords(verdict.statement, painter.columns - 4)),
    "",
    ...outcome.arms.flatMap((arm) => armLines(arm, nameWidth, painter)),
    ...whyInvalid(verdict).flatMap((line) => indented(2, wrapWords(line, painter.columns - 4))),
    "",
    ...criteriaLines(verdict, painter),
    ...suspicionLines(verdict)
      .flatMap((line) => indented(2, wrapWords(`suspected words of ${plainText(line)}`, painter.columns - 4)))
      .map((line) => painter.paint(line, "yellow")),
    ...verdictNotes(verdict).flatMap((note) => indented(2, wrapWords(plainText(wordsText(note)), painter.columns - 4))),
    ...listed("flags: ", verdict.flags, painter),
    ...checkoutLines(verdict).flatMap((line) => indented(2, wrapWords(plainText(line), painter.columns - 4))),
    ...listed("cost: ", costParts(outcome), painter),
    painter.paint(`  ${session_id}`, "dim"),
    "",
  ];
  return `${lines.join("\n")}\n`;
}

const indented = (cells: number, lines: readonly string[]) => lines.map((line) => `${" ".repeat(cells)}${line}`);

function headline({ arms: [a, b] }: SessionOutcome, verdict: Verdict, painter: Painter): string[] {
  const by = decidedText(verdict);
  const words = verdictHeadline(verdict, { a: a.arm_id, b: b.arm_id });
  const what = painter.paint(wordsText(words), "bold", verdict.outcome === "winner" ? "green" : "yellow");
  return wrap([what, ...(by === "" ? [] : [painter.paint(by, "dim")])], " ", painter.columns - 1);
}

function listed(name: string, parts: readonly string[], painter: Painter): string[] {
  if (parts.length === 0) return [];
  const lines = wrap(parts, ", ", painter.columns - 3 - name.length);
  return lines.map((line, index) => painter.paint(`  ${index === 0 ? name : " ".repeat(name.length)}${line}`, "dim"));
}

/** Why the judge's answers could not be used; our own words, not the judge's. */
const whyInvalid = ({ outcome, calls }: Verdict) =>
  outcome === "invalid"
    ? calls.flatMap(({ judge, order, error }) =>
        error ? [`${judge ? `${judge}, ` : ""}order ${order}: ${error}`] : [],
      )
    : [];

function armLines(arm: ArmSummary, nameWidth: number, painter: Painter): string[] {
  const failed = (arm.probe?.checks ?? []).filter((check) => isMissed(check) || check.score !== undefined);
  const missed = failed.map(missedText);
  const noted = (line: string, colour: Colour) =>
    indented(4, wrapWords(line, painter.columns - 5)).map((part) => painter.paint(part, colour));
  return [
    ...figureLines(arm, nameWidth, painter),
    ...whyDisqualified(arm.violations).flatMap((line) => noted(`disqualified: ${line}`, "yellow")),
    ...unmetText(arm).flatMap((line) => noted(`required, and not done: ${line}`, "yellow")),
    ...missed.flatMap((line) => noted(line, "dim")),
  ];
}

function missedText(check: CheckResult): string {
  const why = whyText(check);
  return `${resultWord(check)}: ${check.id}${why ? ` (${why})` : ""}`;
}

const checksWord = (probe: NonNullable<ArmSummary["probe"]>) =>
  probe.total === 0 ? `checks ${passedOf(probe)}` : `${probe.passed}/${probe.total} checks`;

function figureLines(arm: ArmSummary, nameWidth: number, painter: Painter): string[] {
  const checks = arm.probe ? checksWord(arm.probe) : "no checks";
  const changed = changeText(arm.changes);
  const used = [counted(arm.turns, "turn"), counted(arm.tool_calls, "call"), durationText(arm.working_ms)];
  const figures = [endText(arm), checks, changed, ...used];
  const indent = 2 + nameWidth + 2;
  if (painter.columns < indent + FIGURES_WIDTH)
    return [`  ${painter.paint(arm.arm_id, "bold")}`, ...indented(4, wrap(figures, ", ", painter.columns - 5))];
  const [first = "", ...rest] = wrap(figures, ", ", painter.columns - 1 - indent);
  return [`  ${painter.paint(arm.arm_id.padEnd(nameWidth), "bold")}  ${first}`, ...indented(indent, rest)];
}

function changeText(changes: ArmSummary["changes"]): string {
  if (changes === null) return "no changes";
  const { changed_files, added, removed } = sizeOf(changes);
  return changed_files === null ? "changes not known" : `${counted(changed_files, "file")} +${added} -${removed}`;
}

function criteriaLines({ criteria, arm_a, arm_b }: Verdict, painter: Painter): string[] {
  const idWidth = Math.max(...criteria.map(({ id }) => id.length));
  const nameWidth = Math.max(arm_a.arm_id.length, arm_b.arm_id.length);
  const beside = 2 + idWidth + 2 + SCORE_WIDTH + nameWidth < painter.columns;
  const room = painter.columns - 1 - 4 - SCORE_WIDTH;
  return criteria.flatMap((criterion) => {
    if (!criterion.supported) return unscored(criterion, idWidth, painter);
    const bars = [
      scoreBar(criterion, "a", beside ? arm_a.arm_id : cells(arm_a.arm_id, room), painter),
      scoreBar(criterion, "b", beside ? arm_b.arm_id : cells(arm_b.arm_id, room), painter),
    ];
    if (!beside) return [`  ${criterion.id}`, ...indented(4, bars)];
    const [first = "", ...rest] = bars;
    return [`  ${criterion.id.padEnd(idWidth)}  ${first}`, ...indented(2 + idWidth + 2, rest)];
  });
}

/** A measured criterion says why its score is not known. A judge's words stand in the verdict. */
function unscored({ id, kind, note }: CriterionScore, idWidth: number, painter: Painter): string[] {
  const why = kind === "measured" && note !== "" ? indented(4, wrapWords(plainText(note), painter.columns - 5)) : [];
  return [`  ${id.padEnd(idWidth)}  not scored`, ...why].map((line) => painter.paint(line, "dim"));
}

/** Cells of a bar, its score and the blanks around them. */
const SCORE_WIDTH = BAR_WIDTH + 6;

function scoreBar(criterion: CriterionScore, side: "a" | "b", name: string, painter: Painter): string {
  const score = (side === "a" ? criterion.score_a : criterion.score_b) ?? 0;
  const ahead = side === "a" ? (criterion.gap ?? 0) > 0 : (criterion.gap ?? 0) < 0;
  return `${painter.bar(score, BAR_WIDTH, ahead ? "green" : "blue")} ${score.toFixed(2)} ${name}`;
}
