import { openJudge } from "../../../src/comparison/judge/open-judge.ts";
import type { ProbeResult } from "../../../src/domain/evidence.ts";
import { buildCase, judged } from "../build-case.ts";
import { called, countingEntropy, fixedClock, mockJudge, slotsOf, userText, wellFormed } from "../mock-judge.ts";
import { CHECKS, CRITERIA, gapSeen, scoresFor } from "./pairs.ts";
import type { JudgePair } from "./rates.ts";

/** The whole judging: a judge that answers by a tool call, and knows of the checks what its prompt shows. */
export const byJudging: JudgePair = async (pair, faults, chance) => {
  const model = mockJudge((request) => {
    const slots = slotsOf(request);
    const a_first = slots[0]?.evidence.includes("slice.plain") ?? false;
    const [first = 0, second = 0] = slots.map(({ label }) => checksShown(userText(request), label));
    const gap = gapSeen(pair, faults, { a_first, more_checks: a_first ? first - second : second - first, chance });
    return called(
      wellFormed(request, ({ evidence }) => {
        const scores = scoresFor(evidence.includes("slice.plain") ? gap : -gap);
        return Object.fromEntries(CRITERIA.map((id, index) => [id, scores[index] ?? 0]));
      }),
    );
  });
  const judge = openJudge({ model, model_name: "mock/judge", clock: fixedClock(), entropy: countingEntropy() });
  const kase = buildCase({
    a: { probe: probeOf(pair.passed.a) },
    b: { probe: probeOf(pair.passed.b) },
    criteria: CRITERIA.map((id) => judged(id)),
  });
  const { outcome, winner_side, lean_side, confidence, calls } = await judge(kase, new AbortController().signal);
  return { outcome, winner_side, lean_side, confidence, calls: calls.length };
};

function checksShown(prompt: string, label: string): number {
  const [, facts = ""] = prompt.split(`Candidate ${label}\n`);
  const [, checks = ""] = /- hidden checks: (.*)/.exec(facts) ?? [];
  return checks.split(", ").filter((check) => check.endsWith(" pass")).length;
}

const probeOf = (passed: number): ProbeResult => ({
  score: passed / CHECKS,
  passed,
  total: CHECKS,
  checks: Array.from({ length: CHECKS }, (_, index) => ({
    id: `check-${index}`,
    status: index < passed ? "pass" : "fail",
    required: false,
    weight: 1,
    before: "fail",
    exit_code: 0,
    reason: null,
    output: "",
    duration_ms: 1,
  })),
  restored: [],
});
