import { expect, test } from "bun:test";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import type { ProbeResult } from "../../src/domain/evidence.ts";
import { buildCase, type CaseParts, change, judged, probe } from "./build-case.ts";
import { countingEntropy, fixedClock, scoringJudge } from "./mock-judge.ts";

/** Of a judge that clearly prefers arm a, in both hearings. */
async function verdictOn(parts: CaseParts) {
  const model = scoringJudge(({ evidence }) => ({ style: /slice\.plain|name_1\(0|FIRST/.test(evidence) ? 4 : 1 }));
  const options = { model, model_name: "mock/judge", clock: fixedClock(), entropy: countingEntropy() };
  const kase = buildCase({ criteria: [judged("style", 1)], ...parts });
  const { winner, decided_by, confidence, flags } = await openJudge(options)(kase, new AbortController().signal);
  return { winner, decided_by, confidence, flags: flags.filter((flag) => flag !== "single_trial") };
}

const withBefore = (result: ProbeResult, before: "pass" | "fail" | null): ProbeResult => ({
  ...result,
  checks: result.checks.map((check) => ({ ...check, before })),
});

/** So far behind that the checks back the winner, and nobody is heard again. */
const [AHEAD, BEHIND] = [probe("pass", 10), probe("pass", 7)];

test("where neither arm changed code a judge's winner is medium at most, also when the checks back it", async () => {
  const a = { probe: AHEAD, changes: change("One way.", "notes.md"), final_answer: "FIRST" };
  expect(await verdictOn({ a, b: { probe: BEHIND, changes: change("Another.", "notes.md") } })).toEqual({
    ...{ winner: "plain", decided_by: "judge", confidence: "medium", flags: ["prose_only"] },
  });
  expect(await verdictOn({ a: { probe: AHEAD }, b: { probe: BEHIND } })).toMatchObject({
    confidence: "high",
    flags: [],
  });
});

test.each(["pass", null] as const)("checks with before %p lift no cap where the judge decides", async (before) => {
  const of = (result: ProbeResult) => ({ probe: withBefore(result, before) });
  expect(await verdictOn({ a: of(AHEAD), b: of(BEHIND) })).toEqual({
    ...{ winner: "plain", decided_by: "judge", confidence: "medium", flags: ["no_objective_check"] },
  });
  expect(await verdictOn({ a: of(probe("pass", 10)), b: of(probe("fail", 5)) })).toMatchObject({
    ...{ decided_by: "probe", confidence: "high", flags: [] },
  });
});
