import { Type } from "@sinclair/typebox";
import type { Contest } from "../../../domain/contest.ts";
import { wordsText } from "../../../domain/words.ts";
import { contestLines, contestTable } from "../../../statistics/contest-words.ts";

/** As in the HTTP API, whose document has its schema, without what is long: here it would be most of the list of tools. */
export const ContestBrief = Type.Unknown({ description: "Contest as in the HTTP API, without what is long." });

/** Without what grows with the trials or with the square of the arms. */
export function contestBrief({ plan: _, trials: __, contest, ...told }: Contest): Readonly<Record<string, unknown>> {
  const { pairs: ___, ...standing } = contest;
  return { ...told, contest: standing };
}

/** The answer, then a line for each arm. */
export function contestText(contest: Contest): string {
  const { first, lines } = contestLines(contest);
  const { head, rows } = contestTable(contest);
  const told = lines.map(({ label, words, command = "" }) => `${label}: ${wordsText(words)} ${command}`.trimEnd());
  const arms = rows.map((row) => row.map((cell, place) => (place === 0 ? cell : `${head[place]} ${cell}`)).join(", "));
  return [wordsText(first), ...told, ...arms].join("\n");
}
