import type { Grade, SelfTest } from "./self-test.ts";

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
  if (verdict === "pass") return `${judge.model} passed: none of these faults showed.`;
  return notes("warn").length > 0 ? said("neither passed nor failed", "warn") : said("was not tested", "skip");
}
