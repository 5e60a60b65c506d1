import type { Contest } from "../../../src/domain/contest.ts";
import { counted } from "../../../src/domain/number-text.ts";
import type { Series } from "../../../src/domain/series.ts";
import { wordsText } from "../../../src/domain/words.ts";
import { contestLines } from "../../../src/statistics/contest-words.ts";
import { sixLines } from "../../../src/statistics/six-lines.ts";
import type { Comparison, FunctionFailure } from "./api.ts";

/** @param page its HTML */
export function comparisonOf(series: Series | Contest, page: string, failures: readonly FunctionFailure[]): Comparison {
  const { first, lines: rest } = series.kind === "contest" ? contestLines(series) : sixLines(series);
  const firstLine = wordsText(first);
  const told = rest.map(
    ({ label, words, command }) => `${label}: ${wordsText(words)}${command === undefined ? "" : `\n  ${command}`}`,
  );
  const lines = [firstLine, ...told, ...failureLines(failures)];
  return {
    series,
    result: series.kind === "contest" ? null : series.result,
    gate: series.gate,
    firstLine,
    lines,
    failures,
    html: () => page,
    toString: () => lines.join("\n"),
    toJSON: () => series,
  };
}

/** A line for each function, with the first of its failures. */
function failureLines(failures: readonly FunctionFailure[]): string[] {
  const nameOf = ({ arm, check }: FunctionFailure) => (arm === undefined ? `check ${check}` : `arm ${arm}`);
  return [...new Set(failures.map(nameOf))].map((name) => {
    const own = failures.filter((failure) => nameOf(failure) === name);
    const [first] = own;
    return `Failed: ${name}, ${counted(own.length, "time")}, first with row ${first?.row}: ${first?.message}`;
  });
}
