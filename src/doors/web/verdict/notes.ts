import type { JudgeCall, Side } from "../../../domain/verdict.ts";

/** What was noted on one arm for a criterion, in each order and by each judge, once each. */
export function notesOf(calls: readonly JudgeCall[], criterion: string, side: Side): readonly string[] {
  const notes = calls
    .filter(({ masked }) => !masked)
    .flatMap(({ scores }) => scores.filter(({ id }) => id === criterion))
    .map(({ note_a, note_b }) => (side === "a" ? note_a : note_b).trim());
  return [...new Set(notes)].filter((note) => note !== "");
}

/** The figures of a measured criterion's note, as in `changed_lines: 65 against 173`; null for any other. */
export function measuredFigures(note: string): Readonly<Record<Side, string>> | null {
  const [, a, b] = /^\w+: (\S+) against (\S+)$/.exec(note) ?? [];
  return a === undefined || b === undefined ? null : { a, b };
}
