import { expect, test } from "bun:test";
import { BUILTIN_JUDGE } from "../../src/arms/model/model-ref.ts";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import type { AgentRun } from "../../src/domain/external-agent.ts";
import type { ArmSummary } from "../../src/domain/session.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { buildCase, judged, probe } from "./build-case.ts";
import { countingEntropy, fixedClock, scoringJudge } from "./mock-judge.ts";

const small = { id: "small", kind: "measured", measure: "changed_lines", weight: 1 } as const;

const ended = (exit_code: number | null, parts: Partial<AgentRun> = {}): Partial<ArmSummary> => ({
  stop_reason: "final_answer",
  agent: {
    ...{ recipe: "codex", install: "codex-1", version: "1", digest: null, exit_code, stdout: "", stderr: "" },
    ...parts,
  },
});

const verdictOn = (a: Partial<ArmSummary>, b: Partial<ArmSummary>) =>
  openJudge({ model: undefined, model_name: BUILTIN_JUDGE, clock: fixedClock(), entropy: countingEntropy() })(
    buildCase({ criteria: [small], a, b }),
    new AbortController().signal,
  );

const told = ({ outcome, winner, lean, confidence, flags }: Verdict) => ({
  ...{ outcome, winner, lean, confidence },
  crashed: flags.includes("arm_crashed"),
});

const [PASSED, FAILED] = [{ probe: probe("pass", 10) }, { probe: probe("fail", 0) }];

test("an agent that crashed is named, and its opponent's win is no longer high", async () => {
  const verdict = await verdictOn({ ...FAILED, ...ended(101) }, { ...PASSED, ...ended(0) });
  expect(told(verdict)).toEqual({
    ...{ outcome: "winner", winner: "tdd", lean: null, confidence: "medium", crashed: true },
  });
  expect(verdict.scope).toContain("; the agent of plain crashed (exit code 101); one run per arm");
  expect([verdict.facts.a.crashed, verdict.facts.b.crashed]).toEqual([101, undefined]);
});

test("two agents that crashed do not tie, and neither wins", async () => {
  const tie = await verdictOn(ended(137), ended(101));
  const none = { winner: null, confidence: "none", crashed: true } as const;
  expect(told(tie)).toEqual({ outcome: "inconclusive", lean: null, ...none });
  expect(tie.statement).toStartWith("In this one run of pager-last-page, the agents of both arms crashed; no winner");
  expect(tie.statement).toContain("the agent of plain crashed (signal 9); the agent of tdd crashed (exit code 101)");
  const won = await verdictOn({ ...FAILED, ...ended(1) }, { ...PASSED, ...ended(1) });
  expect(told(won)).toEqual({ outcome: "inconclusive", lean: "tdd", ...none });
});

test("a judge is not heard a second time where two crashes rule a winner out", async () => {
  const hearings = async (exit_code: number) => {
    const model = scoringJudge(({ evidence }, [id = ""]) => ({ [id]: evidence.includes("slice.plain") ? 4 : 1 }));
    const kase = buildCase({ criteria: [judged("style", 1)], a: ended(1), b: ended(exit_code) });
    const options = { model, model_name: "mock/judge", clock: fixedClock(), entropy: countingEntropy() };
    const { outcome } = await openJudge(options)(kase, new AbortController().signal);
    return [outcome, model.requests.length];
  };
  expect([await hearings(0), await hearings(1)]).toEqual([
    ["winner", 4],
    ["inconclusive", 2],
  ]);
});

test("a status that its recipe or its scenario calls ordinary is no crash, nor is one that abeval ended", async () => {
  const ends: readonly Partial<ArmSummary>[] = [
    ended(0),
    ended(53, { ok_exit: [53] }),
    ended(null),
    { ...ended(1), status: "limit_reached", stop_reason: "budget:context" },
    {},
  ];
  for (const end of ends) expect(told(await verdictOn(end, {})).crashed).toBe(false);
});

test("an agent that ended in order without an answer is told as such, and no flag is raised", async () => {
  for (const end of [ended(0), ended(53, { ok_exit: [53] })]) {
    const verdict = await verdictOn({ ...end, stop_reason: "no_answer" }, ended(0));
    expect(verdict.scope).toContain("the agent of plain ended without an answer");
    expect(told(verdict).crashed).toBe(false);
  }
});
