import type { JudgeCall } from "../domain/verdict.ts";
import { labelOf, sheetsOf, type Weights, weigh } from "./sheets.ts";

/** Gap of the judged scores from which a preference for neither contradicts them. */
const CLEAR_GAP = 0.15;

/** Binary fractions: 0.4 - 0.25 must count as 0.15. */
const EPSILON = 1e-9;

/**
 * The judge's stated preference contradicts its own scores in some valid call: it prefers the arm that they do not name, or
 * neither at a clear gap. On the judged criteria alone: the judge has not seen the measured ones.
 */
export function isAtOdds(
  { calls, tie_margin }: { readonly calls: readonly JudgeCall[]; readonly tie_margin: number },
  weights: Weights,
): boolean {
  const { shown } = sheetsOf(calls, []);
  return shown.some((sheet) => {
    const call = calls.find(({ order, masked, valid }) => valid && !masked && order === sheet.order);
    const scores = weigh(sheet, weights);
    return call !== undefined && scores !== null && contradicts(call.preference, scores.a - scores.b, tie_margin);
  });
}

function contradicts(preference: JudgeCall["preference"], gap: number, tie_margin: number): boolean {
  if (preference === null) return false;
  if (preference === "tie") return Math.abs(gap) >= CLEAR_GAP - EPSILON;
  const label = labelOf(gap, tie_margin);
  return label !== "tie" && label !== preference;
}
