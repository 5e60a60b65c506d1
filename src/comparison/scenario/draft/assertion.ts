import { RE2JS } from "re2js";
import { cut } from "../../../domain/excerpt.ts";
import type { DraftCheck } from "../draft-scenario.ts";
import { Unusable } from "../unusable.ts";

/** What another tool asserts of an answer, as a check without its id. */
export type AnswerCheck = Omit<DraftCheck, "file">;

/** @throws Unusable for a pattern that takes more than linear time */
export function answerMatches(pattern: string, flags = ""): AnswerCheck {
  const regex = flags === "" ? pattern : `(?${flags})${pattern}`;
  try {
    RE2JS.compile(regex, RE2JS.MULTILINE);
  } catch (error) {
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
