import { cut } from "../../../domain/excerpt.ts";
import { OverLimit } from "../../../runtime/bounded.ts";
import { compilePattern } from "../../../runtime/pattern.ts";
import type { DraftCheck } from "../draft-scenario.ts";
import { Unusable } from "../unusable.ts";

/** What another tool asserts of an answer, as a check without its id. */
export type AnswerCheck = Omit<DraftCheck, "file">;

/** @throws Unusable for a pattern that takes more than linear time, or too long */
export function answerMatches(pattern: string, flags = ""): AnswerCheck {
  const regex = flags === "" ? pattern : `(?${flags})${pattern}`;
  try {
    compilePattern(regex);
  } catch (error) {
    if (error instanceof OverLimit) throw new Unusable(`asserts a pattern that ${error.message}: ${cut(pattern)}`);
    throw new Unusable(`asserts a pattern that RE2 does not have: ${cut(pattern)}`, { cause: error });
  }
  return { answer_matches: `/${regex}/` };
}

/** The answer has no line that fits an extended regular expression. */
export const answerLacksPattern = (pattern: string, flags = ""): AnswerCheck => ({
  run: `! grep -qE${flags} -e ${quotedForShell(pattern)} "$ABEVAL_EVIDENCE/answer.txt"`,
});

/** One word of a shell. */
export const quotedForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
