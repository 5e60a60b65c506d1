/** Columns that hold what a row asks, the first that is there. */
export const ASKING: readonly string[] = ["prompt", "input", "question", "message", "text"];

/** The column that a row asks with: a table of one column has no other. */
export const questionColumn = (columns: readonly string[]): string | undefined =>
  ASKING.find((name) => columns.includes(name)) ?? (columns.length === 1 ? columns[0] : undefined);

interface SaidOfJudging {
  readonly question: string | undefined;
  readonly judge_model: string | undefined;
  readonly has_checks: boolean;
}

/** Where nothing is asked of a judge, none is needed. */
export function rubricOf({ question, judge_model, has_checks }: SaidOfJudging) {
  const judge = judge_model ?? (question === undefined ? "builtin/evidence" : undefined);
  const criteria = [...(question === undefined ? [] : [{ question }]), ...(has_checks ? [PASSED_CHECKS] : [])];
  return { criteria, ...(judge !== undefined && { judge: { model: judge } }) };
}

const PASSED_CHECKS = { id: "checks", measure: "probe_score" };
