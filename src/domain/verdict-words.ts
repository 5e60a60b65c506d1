import { isCrashed } from "./end-text.ts";
import { counted } from "./number-text.ts";
import type { Flag, JudgeCall, Outcome, Verdict } from "./verdict.ts";
import { type ArmNames, armWord, say, type Words } from "./words.ts";

/** Without TypeBox, so that the pages can load it. */

/** Who won, or in a few words why nobody did: the title of a verdict. */
export function verdictHeadline(verdict: Judged, names: ArmNames): Words {
  const { outcome, winner_side, flags } = verdict;
  if (outcome !== "winner" || winner_side === null) return [whyNobody(verdict)];
  const winner = armWord(names, winner_side);
  return flags.includes("no_contrast") ? say`${winner} won, though the arms are equal` : say`${winner} won`;
}

type Judged = Pick<Verdict, "outcome" | "winner_side" | "lean_side" | "flags" | "facts">;

/** Sentences that every door shows below a verdict. Each says nothing where it does not apply. */
const NOTES: readonly ((verdict: Verdict) => Words)[] = [orderNote];

export const verdictNotes = (verdict: Verdict): readonly Words[] =>
  NOTES.map((note) => note(verdict)).filter(({ length }) => length > 0);

/** What the order of presentation did to the judge's choice and to its scores. */
function orderNote({ calls, position_pull }: Pick<Verdict, "calls" | "position_pull">): Words {
  const pairs = pairsOf(calls);
  if (position_pull === null || pairs.length === 0) return [];
  const count = pairs.reduce((sum, pair) => sum + movedScores(pair), 0);
  const scores = count === 0 ? "no score" : counted(count, "score");
  if (position_pull !== 0)
    return say`Position bias: the order moved the choice by ${{ figure: Math.abs(position_pull).toFixed(2) }} of 1 towards the arm shown ${position_pull > 0 ? "first" : "second"}, and it moved ${scores}.`;
  // Judges of a panel can be drawn opposite ways.
  if (pairs.some(([ab, ba]) => ab.label !== ba.label))
    return say`The order moved choices both ways, which even out, and it moved ${scores}.`;
  return count === 0
    ? ["No position bias: the order moved no choice and no score."]
    : say`The order moved ${scores}, and no choice.`;
}

type CallPair = readonly [ab: JudgeCall, ba: JudgeCall];

/** The usable answers of each judge that has one in both orders. The masked repetition is another question. */
function pairsOf(calls: readonly JudgeCall[]): readonly CallPair[] {
  const usable = calls.filter(({ masked, valid }) => valid && !masked);
  return usable
    .filter(({ order }) => order === "ab")
    .flatMap((ab) => {
      const ba = usable.find(({ order, judge }) => order === "ba" && judge === ab.judge);
      return ba ? [[ab, ba] as const] : [];
    });
}

function movedScores([ab, ba]: CallPair): number {
  const others = new Map(ba.scores.map((score) => [score.id, score]));
  return ab.scores.reduce((sum, { id, score_a, score_b }) => {
    const other = others.get(id);
    return sum + (other ? Number(score_a !== other.score_a) + Number(score_b !== other.score_b) : 0);
  }, 0);
}

/** What a flag says of the want of a winner, the gravest first. */
const REASONS: readonly (readonly [Flag, string])[] = [
  ["check_could_not_run", "No winner: a check could not run"],
  ["both_disqualified", "No winner: both were disqualified"],
  ["neither_solved", "No winner: neither solved it"],
  ["injection_effective", "No winner: words swayed the judge"],
  ["prose_decided", "No winner: prose alone decided"],
  ["judge_probe_conflict", "No winner: scores contradict the checks"],
  ["judge_context_too_small", "No winner: too much to judge"],
  ["cost_limit_reached", "No winner: no money to judge"],
  ["judge_invalid", "No winner: no usable judgement"],
];

const OTHERWISE: Readonly<Record<string, string>> = {
  inconsistent: "No winner: the orders disagree",
  invalid: "No winner: no usable judgement",
  inconclusive: "No winner: too little to tell",
} satisfies Record<Exclude<Outcome, "winner" | "tie">, string>;

/** Why a verdict names no winner, in five words or so. */
function whyNobody({ outcome, flags, facts, lean_side }: Judged): string {
  if (outcome === "tie") return "A tie within the margin";
  if (flags.includes("arm_crashed") && isCrashed(facts.a) && isCrashed(facts.b)) return "No winner: both crashed";
  const reason = REASONS.find(([flag]) => flags.includes(flag));
  if (reason) return reason[1];
  if (outcome === "inconclusive" && lean_side !== null) return "No winner, but a lean";
  // A page may be older than the server.
  return OTHERWISE[outcome === "winner" ? "inconclusive" : outcome] ?? outcome.replaceAll("_", " ");
}
