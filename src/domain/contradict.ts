import type { ArmPointer, Verdict } from "./verdict.ts";

type Finding = Pick<Verdict, "arm_a" | "arm_b" | "outcome" | "winner_side">;

/** Whether two verdicts on the same two arms name different winners, or one a winner and the other a tie. */
export function contradict(verdicts: readonly Finding[]): boolean {
  const found = new Map<string, string>();
  for (const verdict of verdicts) {
    const finding = findingOf(verdict);
    if (finding === undefined) continue;
    const pair = [textOf(verdict.arm_a), textOf(verdict.arm_b)].sort().join(" ");
    if ((found.get(pair) ?? finding) !== finding) return true;
    found.set(pair, finding);
  }
  return false;
}

/** Only these say something of the arms; the others say that nothing is known. */
function findingOf({ outcome, winner_side, arm_a, arm_b }: Finding): string | undefined {
  if (outcome === "tie") return "tie";
  return outcome === "winner" ? textOf(winner_side === "b" ? arm_b : arm_a) : undefined;
}

const textOf = ({ session_id, arm_id }: ArmPointer) => `${session_id}/${arm_id}`;
