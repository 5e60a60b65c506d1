import type { Grade, SelfTest, SelfTestPartId } from "./self-test.ts";

/** What a completed self-test says of the judge, for a reader who reads nothing else; null until it is completed. */
export function selfTestSentence({
  judge,
  verdict,
  parts,
}: Pick<SelfTest, "judge" | "verdict" | "parts">): string | null {
  const notes = (grade: Grade) => [...new Set(parts.filter((part) => part.verdict === grade).map(({ note }) => note))];
  const said = (how: string, grade: Grade) => `${judge.model} ${how}: ${notes(grade).join("; ")}.`;
  if (verdict === null) return null;
  if (verdict === "fail") return said("failed", "fail");
  if (verdict === "pass") return `${judge.model} passed: ${faultsIn(parts)}.`;
  return notes("warn").length > 0 ? said("neither passed nor failed", "warn") : said("was not tested", "skip");
}

function faultsIn(parts: SelfTest["parts"]): string {
  const rates = parts.flatMap(({ rate }) => rate ?? []);
  const sum = (of: "faults" | "judgings") => rates.reduce((all, rate) => all + rate[of], 0);
  return sum("faults") === 0
    ? "none of these faults showed"
    : `it erred in ${sum("faults")} of ${sum("judgings")} judgings`;
}

/** What each part shows a judge. */
export const SELF_TEST_TITLES: Readonly<Record<SelfTestPartId, string>> = {
  reference_against_nop: "Known good work against worse work",
  half_of_reference: "Known good work against half of it",
  same_evidence: "The same work twice",
  harmless_edits: "Edits that change nothing",
};

/** What it takes: of a judge that makes no mistake, without a masked repetition, and the most. */
export const SELF_TEST_CALLS = "112 to 480 judge calls";
