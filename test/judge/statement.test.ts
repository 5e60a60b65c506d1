import { expect, test } from "bun:test";
import { mergeOrders } from "../../src/comparison/judge/asking/masked-repetition.ts";
import type { ScoredOutcome } from "../../src/comparison/judge/decide.ts";
import { factsOf, gatesOf } from "../../src/comparison/judge/facts.ts";
import { type StatementInput, statementOf } from "../../src/comparison/judge/verdict/statement.ts";
import { OUTCOMES, type Verdict } from "../../src/domain/verdict.ts";
import { BARRED } from "../barred-words.ts";
import { buildArm, buildCase, probe } from "./build-case.ts";

const { policies } = buildCase();
const facts = (parts: Parameters<typeof buildArm>[1]) => factsOf(buildArm("plain", parts).summary, policies);
const PASSED = facts({ probe: probe("pass", 10) });

const SCORED: ScoredOutcome = {
  outcome: "winner",
  winner_side: "a",
  lean_side: null,
  decided_by: "judge",
  score_a: 0.9,
  score_b: 0.4,
  score_gap: 0.5,
  merged: mergeOrders("a", "a"),
  probe_conflict: false,
  judge_side: "a",
  least_gap: 0.5,
  sure_gap: 0.5,
  second: "none",
};

function given(scored: Partial<ScoredOutcome>, parts: Partial<StatementInput> = {}): StatementInput {
  const both: Verdict["facts"] = parts.facts ?? { a: PASSED, b: PASSED };
  return {
    kind: "run",
    scenario: "S",
    judge: "J",
    names: { a: "alpha", b: "beta" },
    scored: { ...SCORED, ...scored },
    gates: gatesOf(both.a, both.b),
    turns: { a: 3, b: 1 },
    required: { a: { failed: 1, total: 8 }, b: { failed: 2, total: 8 } },
    flags: [],
    stopped: { a: [], b: [] },
    chances: [],
    by_log: { a: false, b: false },
    programs: { a: null, b: null },
    model_asked: true,
    measured: false,
    ...parts,
    facts: both,
  };
}

const FAILED = facts({ probe: probe("fail", 1) });
const [OUT, NONE] = [facts({ status: "disqualified" }), facts({ probe: null })];

/** Every branch, with what its first sentence says. */
const BRANCHES: [what: string, input: StatementInput, says: string][] = [
  ["winner", given({}), "judge J favoured alpha over beta in both presentation orders"],
  [
    "winner b with measures",
    given({ winner_side: "b" }, { measured: true }),
    "the scores of judge J together with the measured criteria favoured beta over alpha",
  ],
  ["tie", given({ outcome: "tie", winner_side: null }), "judge J put alpha and beta within the tie margin"],
  [
    "inconsistent, first",
    given({ outcome: "inconsistent", winner_side: null, merged: mergeOrders("a", "b") }),
    "whichever run was shown first; no preference can be stated",
  ],
  [
    "inconsistent, second",
    given({ outcome: "inconsistent", winner_side: null, merged: mergeOrders("b", "a") }),
    "whichever run was shown second",
  ],
  [
    "lean",
    given({ outcome: "inconclusive", winner_side: null, lean_side: "b", merged: mergeOrders("tie", "b") }),
    "favoured beta in one presentation order and neither arm in the other; no winner is named",
  ],
  ["no weight", given({ outcome: "inconclusive", winner_side: null }), "no scored criterion carries weight"],
  [
    "invalid",
    given({ outcome: "invalid", winner_side: null }),
    "gave no usable answer in at least one presentation order; this is not a tie",
  ],
  [
    "too small",
    given({ outcome: "invalid", winner_side: null }, { flags: ["judge_context_too_small"] }),
    "the evidence does not fit the context of judge J; this is not a tie",
  ],
  [
    "conflict",
    given(
      { outcome: "inconclusive", winner_side: null, probe_conflict: true },
      { facts: { a: facts({ probe: probe("pass", 6) }), b: PASSED } },
    ),
    "judge J favoured alpha while the hidden checks clearly favour beta",
  ],
  [
    "measured conflict",
    given(
      { outcome: "inconclusive", winner_side: null, probe_conflict: true, merged: null },
      { model_asked: false, facts: { a: PASSED, b: facts({ probe: probe("pass", 6) }) } },
    ),
    "the measured criteria favoured beta while the hidden checks clearly favour alpha",
  ],
  [
    "asked again, nobody",
    given({ outcome: "inconclusive", winner_side: null, second: "overturns" }),
    "judge J favoured alpha in both presentation orders, but favoured neither arm clearly when the arms' own words were withheld; no winner is named",
  ],
  [
    "asked again, the other",
    given({ outcome: "inconclusive", winner_side: null, lean_side: "b", second: "overturns" }),
    "but leaned to beta when the arms' own words were withheld; no winner is named",
  ],
  [
    "asked again after a tie",
    given({
      ...{ outcome: "inconclusive", winner_side: null, lean_side: "b" },
      merged: mergeOrders("tie", "tie"),
      second: "overturns",
    }),
    "judge J leaned to beta when the arms' own words were withheld; no winner is named",
  ],
  [
    "asked again in vain",
    given({ outcome: "inconclusive", winner_side: null, lean_side: "a", second: "unusable" }),
    "judge J favoured alpha in both presentation orders, but not every answer was usable when the arms' own words were withheld; no winner is named",
  ],
  [
    "asked again, with measures",
    given({ outcome: "inconclusive", winner_side: null, judge_side: null, second: "not_held" }, { measured: true }),
    "the scores of judge J together with the measured criteria favoured alpha in both presentation orders; the words of alpha are suspected",
  ],
  [
    "conflict by measures that outweigh the judge",
    given(
      { outcome: "inconclusive", winner_side: null, probe_conflict: true, judge_side: null },
      { measured: true, facts: { a: facts({ probe: probe("pass", 6) }), b: PASSED } },
    ),
    "the scores of judge J together with the measured criteria favoured alpha while the hidden checks clearly favour beta",
  ],
  [
    "not confirmed",
    given({ second: "unconfirmed" }, { flags: ["unconfirmed"] }),
    "favoured alpha over beta in both presentation orders, but named no winner when the arms' own words were withheld",
  ],
  [
    "against its preference",
    given({}, { flags: ["score_preference_conflict"] }),
    "the scores of judge J favoured alpha over beta in both presentation orders, against the preference that it stated",
  ],
  [
    "outweighed",
    given({ decided_by: "measured", judge_side: "b" }, { measured: true }),
    "the measured criteria favoured alpha over beta and outweigh judge J, which favoured beta in both presentation orders",
  ],
  [
    "graded checks against a judge",
    given(
      {
        outcome: "inconclusive",
        winner_side: null,
        decided_by: "none",
        probe_conflict: true,
        judge_side: "b",
        merged: mergeOrders("b", "b"),
      },
      { facts: { a: PASSED, b: facts({ probe: probe("pass", 3) }) } },
    ),
    "judge J favoured beta while the hidden checks clearly favour alpha; no winner is named, and a person should look",
  ],
  [
    "neither solved",
    given({ outcome: "inconclusive", winner_side: null, lean_side: "a" }, { facts: { a: FAILED, b: FAILED } }),
    "neither arm passed the required hidden checks; judge J leaned to alpha in both presentation orders; no winner is named",
  ],
  [
    "neither solved, graded",
    given({}, { facts: { a: facts({ probe: probe("fail", 9) }), b: FAILED } }),
    "neither arm passed the required hidden checks; alpha passed hidden checks worth 90% of the weight, beta 10%; no winner is named; decided by the checks",
  ],
  [
    "required",
    given({}, { facts: { a: PASSED, b: FAILED } }),
    "beta failed 2 of 8 required hidden checks, alpha passed all; decided by the checks, not by the judge",
  ],
  [
    "required, judge unusable",
    given({}, { facts: { a: PASSED, b: FAILED }, flags: ["judge_invalid"] }),
    "decided by the checks, and the judge gave no usable answer in at least one presentation order",
  ],
  [
    "graded",
    given({}, { facts: { a: facts({ probe: probe("pass", 2) }), b: PASSED } }),
    "beta passed hidden checks worth 100% of the weight, alpha 20%",
  ],
  [
    "graded, nearly all",
    given({}, { facts: { a: facts({ probe: probe("pass", 2) }), b: facts({ probe: probe("pass", 9.96) }) } }),
    "beta passed hidden checks worth 99.6% of the weight, alpha 20%",
  ],
  [
    "disqualified",
    given({}, { facts: { a: PASSED, b: OUT } }),
    "beta was disqualified; alpha was not; decided by the rules",
  ],
  [
    "both disqualified",
    given({ winner_side: null }, { facts: { a: OUT, b: OUT } }),
    "alpha was disqualified; beta was disqualified; no winner is named; decided by the rules",
  ],
  [
    "measured winner",
    given({ decided_by: "measured", merged: null }, { model_asked: false }),
    "no model judged; the measured criteria favour alpha over beta (0.90 against 0.40 for alpha and beta)",
  ],
  [
    "measured tie",
    given({ outcome: "tie", winner_side: null, merged: null }, { model_asked: false }),
    "no model judged; the measured criteria are within the tie margin",
  ],
  [
    "measured lean",
    given(
      { outcome: "inconclusive", winner_side: null, lean_side: "b", merged: null },
      { model_asked: false, facts: { a: FAILED, b: FAILED } },
    ),
    "no model judged; the measured criteria lean to beta",
  ],
  [
    "nothing",
    given(
      { outcome: "inconclusive", winner_side: null, merged: null, score_a: null, score_b: null },
      { model_asked: false },
    ),
    "no model judged, and neither a gate nor a measured criterion decides",
  ],
];

for (const [what, input, says] of BRANCHES)
  test(`${what}: one or two plain sentences about this run, with no barred word`, () => {
    const { statement, scope } = statementOf(input);
    expect(statement.slice(0, -scope.length)).toContain(says);
    expect(statement).toEndWith(`. ${scope}`);
    expect(statement).toStartWith("In this one run of S, ");
    expect(statement).not.toMatch(BARRED);
    expect(statement).toEndWith("one run per arm says nothing about how often this would happen.");
    expect(statement.match(/[.!?](?=\s|$)/g)).toHaveLength(2);
  });

test("the branches cover every outcome", () => {
  expect(new Set(BRANCHES.map(([, { scored }]) => scored.outcome))).toEqual(new Set(OUTCOMES));
});

test("two sessions are two runs, and missing checks are said", () => {
  const { statement } = statementOf(given({}, { kind: "cross_session", facts: { a: NONE, b: PASSED } }));
  expect(statement).toBe(
    "In these two runs of S, judge J favoured alpha over beta in both presentation orders. No hidden check ran on both arms; one run per arm says nothing about how often this would happen.",
  );
});
