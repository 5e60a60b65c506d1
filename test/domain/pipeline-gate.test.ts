import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Because, Gated } from "../../src/domain/pipeline-gate.ts";
import { DECIDERS, FLAGS, KINS, OUTCOMES, SIDES } from "../../src/domain/verdict.ts";
import { gateOfVerdict } from "../../src/domain/verdict-gate.ts";

const WON = {
  ...{ arm_a: { arm_id: "one" }, arm_b: { arm_id: "other" } },
  ...({ outcome: "winner", winner_side: "a", decided_by: "judge", flags: ["single_trial"] } as const),
};
const because = (reason: Because) => ({ because: reason, needs: null });
const SHUT = { one: null, other: null };

test("a verdict opens no gate unless somebody asked that its run be enough", () => {
  expect(gateOfVerdict(WON, false)).toEqual({
    gate: SHUT,
    gate_reasons: { one: because("single_run"), other: because("single_run") },
  });
  expect(gateOfVerdict(WON, true)).toEqual({
    gate: { one: "better", other: null },
    gate_reasons: { other: because("worse") },
  });
});

test.each([
  ["a tie", { outcome: "tie", winner_side: null }, "not_shown"],
  ["nobody who can be named", { outcome: "inconclusive", winner_side: null }, "not_shown"],
  ["nothing solved", { outcome: "inconclusive", winner_side: null, flags: ["neither_solved"] }, "nothing_solved"],
  ["arms that do not differ", { flags: ["no_contrast"] }, "no_contrast"],
  ["arms that do not differ, and checks that decided", { flags: ["no_contrast"], decided_by: "probe" }, "no_contrast"],
  ["the preference of the winner's kin", { kin_of: "a" }, "judge_kin"],
  ["scores of the winner's kin beside measures", { kin_of: "a", decided_by: "measured" }, "judge_kin"],
  ["a judge that failed its self-test", { flags: ["judge_failed_self_test"] }, "judge_failed_self_test"],
  [
    "a check that could not run",
    { outcome: "invalid", winner_side: null, flags: ["check_could_not_run"] },
    "checks_could_not_run",
  ],
  [
    "results that a pull request can edit",
    { inputs_from_checkout: [{ input: "baseline", path: "runs.jsonl" }] },
    "inputs_from_checkout",
  ],
] as const)("a run that is to be enough opens no gate for %s, and says why", (_what, changes, reason) => {
  expect(gateOfVerdict({ ...WON, ...(changes as object) }, true)).toEqual({
    gate: SHUT,
    gate_reasons: { one: because(reason), other: because(reason) },
  });
});

test.each([
  ["kin of both arms", { kin_of: "both" }],
  ["kin of the arm that lost", { kin_of: "b" }],
  ["kin of the winner where checks decided", { kin_of: "a", decided_by: "probe" }],
] as const)("a judge that is %s keeps no gate shut", (_what, changes) => {
  expect(gateOfVerdict({ ...WON, ...changes }, true).gate).toEqual({ one: "better", other: null });
});

const INPUTS = (["scenario", "prices", "baseline", "recording", "log", "results", "state_dir"] as const).map(
  (input) => ({ input, path: "x" }),
);

const JUDGED = fc.record({
  arm_a: fc.constant({ arm_id: "one" }),
  arm_b: fc.constantFrom({ arm_id: "other" }, { arm_id: "one" }),
  found: fc.oneof(
    fc.record({ outcome: fc.constant("winner" as const), winner_side: fc.constantFrom(...SIDES) }),
    fc.record({ outcome: fc.constantFrom(...OUTCOMES), winner_side: fc.constant(null) }),
  ),
  decided_by: fc.constantFrom(...DECIDERS),
  kin_of: fc.constantFrom(undefined, ...KINS),
  flags: fc.subarray([...FLAGS], { maxLength: 2 }),
});

test("a gate that is shut says why, one that is open does not, and nothing that a pull request can edit opens one", () => {
  let open = 0;
  fc.assert(
    fc.property(JUDGED, fc.subarray(INPUTS), fc.boolean(), ({ found, ...judged }, inputs, single) => {
      const verdict = { ...judged, ...found };
      const [told, edited] = [{ inputs_from_checkout: undefined }, { inputs_from_checkout: inputs }].map((known) =>
        gateOfVerdict({ ...verdict, ...known }, single),
      );
      for (const gated of [told, edited]) expectReasons(gated);
      if (isOpen(told)) open += 1;
      if (isOpen(edited))
        expect([isOpen(told), inputs.some(({ input }) => input !== "scenario" && input !== "prices")]).toEqual([
          true,
          false,
        ]);
      if (isOpen(told))
        expect([single, verdict.outcome, verdict.winner_side === null]).toEqual([true, "winner", false]);
    }),
    { numRuns: 1_000, seed: 46 },
  );
  expect(open).toBeGreaterThan(20);
});

const isOpen = (gated: Gated | undefined) => Object.values(gated?.gate ?? {}).some((opening) => opening !== null);

function expectReasons(gated: Gated | undefined): void {
  const { gate = {}, gate_reasons = {} } = gated ?? {};
  const shut = Object.entries(gate).filter(([, opening]) => opening === null);
  expect(Object.keys(gate_reasons)).toEqual(shut.map(([arm]) => arm));
}
