import { expect, test } from "bun:test";
import { BUILTIN_JUDGE } from "../../src/arms/model/model-ref.ts";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import type { ArmSummary } from "../../src/domain/session.ts";
import { buildCase } from "./build-case.ts";
import { countingEntropy, fixedClock } from "./mock-judge.ts";

const flagsOn = async (a: Partial<ArmSummary>, b: Partial<ArmSummary>) => {
  const criteria = [{ id: "small", kind: "measured", measure: "changed_lines", weight: 1 } as const];
  const options = { model: undefined, model_name: BUILTIN_JUDGE, clock: fixedClock(), entropy: countingEntropy() };
  const { flags } = await openJudge(options)(buildCase({ criteria, a, b }), new AbortController().signal);
  return flags.includes("log_cut");
};

test("a verdict says that the log of an arm is not whole", async () => {
  expect(await flagsOn({ log_cut: true }, {})).toBe(true);
  expect(await flagsOn({}, { log_cut: true })).toBe(true);
  expect(await flagsOn({}, {})).toBe(false);
});
