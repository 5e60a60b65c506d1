import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Basis,
  decide,
  needsMaskedRepetition,
  type ScoredOutcome,
  suspectsOf,
} from "../../src/comparison/judge/decide.ts";
import { gatesOf } from "../../src/comparison/judge/facts.ts";
import type { CallScores, MeasuredScore } from "../../src/comparison/judge/verdict/score-table.ts";
import { sensitivityOf } from "../../src/comparison/judge/verdict/sensitivity.ts";

const NO_GATES = gatesOf(
  { disqualified: false, required_checks: null, probe: null },
  { disqualified: false, required_checks: null, probe: null },
);
const IDS = ["one", "two", "three"];

const callScores = (order: "ab" | "ba", pairs: readonly (readonly [number, number])[], masked = false): CallScores => ({
  order,
  masked,
  valid: true,
  scores: pairs.map(([score_a, score_b], index) => ({ id: IDS[index] ?? "", score_a, score_b, supported: true })),
});

const basis = (calls: readonly CallScores[], parts: Partial<Basis> = {}): Basis => ({
  calls,
  measured: [],
  gates: NO_GATES,
  tie_margin: 0.05,
  suspects: new Set(),
  ...parts,
});
const weights = (...values: number[]) => new Map(values.map((value, index) => [IDS[index] ?? "", value]));
const result = ({ outcome, winner_side }: ScoredOutcome) => `${outcome} ${winner_side ?? "-"}`;

describe("decide", () => {
  test("a gap at the margin is a tie, one beyond it is not", () => {
    const near: MeasuredScore = { id: "one", score_a: 0.3, score_b: 0.25, supported: true };
    const decided = (score_b: number) => result(decide(basis([], { measured: [{ ...near, score_b }] }), weights(1)));
    expect([decided(0.25), decided(0.24), decided(0.36)]).toEqual(["tie -", "winner a", "winner b"]);
  });

  test("a criterion that one order does not support counts in neither", () => {
    const [ab, ba] = [
      callScores("ab", [
        [4, 0],
        [0, 4],
      ]),
      callScores("ba", [
        [4, 0],
        [0, 4],
      ]),
    ];
    const shaky = { ...ba, scores: ba.scores.map((score) => ({ ...score, supported: score.id !== "two" })) };
    expect(result(decide(basis([ab, ba]), weights(1, 3)))).toBe("winner b");
    expect(result(decide(basis([ab, shaky]), weights(1, 3)))).toBe("winner a");
  });

  test("scores without weight decide nothing and are no invalid answer", () => {
    const scored = decide(basis([callScores("ab", [[4, 0]]), callScores("ba", [[4, 0]])]), weights(0));
    expect({ result: result(scored), score_a: scored.score_a }).toEqual({
      result: "inconclusive -",
      score_a: null,
    });
  });

  test("orders that name different arms have no least gap", () => {
    const [ab, ba] = [callScores("ab", [[4, 0]]), callScores("ba", [[1, 4]])];
    expect(decide(basis([ab, ba]), weights(1)).least_gap).toBe(0);
    expect(decide(basis([ab, { ...ab, order: "ba" }]), weights(1)).least_gap).toBe(1);
  });

  test("one valid order alone gives no score", () => {
    const { outcome, score_a } = decide(
      basis([callScores("ab", [[4, 0]]), { ...callScores("ba", []), valid: false }]),
      weights(1),
    );
    expect({ outcome, score_a }).toEqual({ outcome: "invalid", score_a: null });
  });
});

const score = fc.integer({ min: 0, max: 4 });
const pair = fc.tuple(score, score);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const anyBasis = fc.record({
  ab: fc.array(pair, { minLength: 3, maxLength: 3 }),
  ba: fc.array(pair, { minLength: 3, maxLength: 3 }),
  masked: fc.option(fc.array(pair, { minLength: 3, maxLength: 3 })),
  suspects: fc.subarray<"a" | "b">(["a", "b"]),
  probes: fc.option(fc.tuple(share, share)),
  disqualified: fc.tuple(fc.boolean(), fc.boolean()),
  required: fc.tuple(fc.constantFrom("passed", "failed", null), fc.constantFrom("passed", "failed", null)),
  weight: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 3 }),
});

type Parts = typeof anyBasis extends fc.Arbitrary<infer T> ? T : never;

test("exchanging the arms mirrors every outcome", () => {
  const mirror = { a: "b", b: "a" } as const;
  const build = (parts: Parts, swapped: boolean): Basis => {
    const side = <T>([a, b]: readonly [T, T]): readonly [T, T] => (swapped ? [b, a] : [a, b]);
    const rows = (pairs: readonly (readonly [number, number])[]) => pairs.map(side);
    const [first, second] = swapped ? [parts.ba, parts.ab] : [parts.ab, parts.ba];
    const masked = parts.masked
      ? [callScores("ab", rows(parts.masked), true), callScores("ba", rows(parts.masked), true)]
      : [];
    const probes = parts.probes ? side(parts.probes) : null;
    const facts = (index: 0 | 1) => ({
      disqualified: side(parts.disqualified)[index],
      required_checks: side<"passed" | "failed" | null>(parts.required)[index],
      probe: probes && { score: probes[index] },
    });
    return basis([callScores("ab", rows(first)), callScores("ba", rows(second)), ...masked], {
      gates: gatesOf(facts(0), facts(1)),
      suspects: new Set(parts.suspects.map((one) => (swapped ? mirror[one] : one))),
    });
  };
  fc.assert(
    fc.property(anyBasis, (parts) => {
      const [one, other] = [
        decide(build(parts, false), weights(...parts.weight)),
        decide(build(parts, true), weights(...parts.weight)),
      ];
      expect(other.outcome).toBe(one.outcome);
      expect(other.winner_side).toBe(one.winner_side && mirror[one.winner_side]);
      expect(other.lean_side).toBe(one.lean_side && mirror[one.lean_side]);
      expect(other.decided_by).toBe(one.decided_by);
      expect(other.score_a).toBe(one.score_b);
      expect(other.second).toBe(one.second);
      expect(other.least_gap).toBeCloseTo(-one.least_gap);
    }),
  );
});

describe("sensitivity", () => {
  test("flip distance is the weight that must move until the outcome changes", () => {
    const split = basis(
      [
        callScores("ab", [
          [4, 0],
          [0, 4],
        ]),
        callScores("ba", [
          [4, 0],
          [0, 4],
        ]),
      ],
      { tie_margin: 0 },
    );
    // Shares 0.75 and 0.25: the gap is 0.5 and falls by 2 for each unit moved.
    expect(sensitivityOf(split, weights(3, 1))).toEqual({
      flip_distance: 0.25,
      leave_one_out: [
        { criterion: "one", outcome: "winner", winner_side: "b" },
        { criterion: "two", outcome: "winner", winner_side: "a" },
      ],
    });
  });

  test("no weights change an outcome that every criterion supports, or that a gate decided", () => {
    const clear = [
      callScores("ab", [
        [4, 0],
        [4, 1],
      ]),
      callScores("ba", [
        [4, 0],
        [4, 1],
      ]),
    ];
    const split = [
      callScores("ab", [
        [4, 0],
        [0, 4],
      ]),
      callScores("ba", [
        [4, 0],
        [0, 4],
      ]),
    ];
    const gates = gatesOf(
      { disqualified: true, required_checks: null, probe: null },
      { disqualified: false, required_checks: null, probe: null },
    );
    expect([
      sensitivityOf(basis(clear), weights(1, 1)).flip_distance,
      sensitivityOf(basis(split, { gates }), weights(3, 1)).flip_distance,
    ]).toEqual([null, null]);
  });

  test("labels of both calls that change at one point do not hide the outcome between them", () => {
    const ab = callScores("ab", [
      [0, 0],
      [1, 0],
      [2, 2],
    ]);
    const ba = callScores("ba", [
      [0, 0],
      [0, 3],
      [2, 1],
    ]);
    const given = basis([ab, ba], { tie_margin: 0.05 });
    // Beyond 0.2 moved to the second criterion the pair is inconclusive as before, at 0.2 it is a tie.
    const moved = (share: number) => result(decide(given, weights(0, share, 1 - share)));
    expect([moved(0), moved(0.2), moved(0.21)]).toEqual(["inconclusive -", "tie -", "inconclusive -"]);
    expect(sensitivityOf(given, weights(0, 0, 1)).flip_distance).toBe(0.2);
  });

  test("with a masked repetition a distance is told wherever all weight on one criterion changes the outcome", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(pair, pair, pair, pair), { minLength: 3, maxLength: 3 }),
        fc.nat(2),
        (rows, index) => {
          const column = (at: 0 | 1 | 2 | 3) => rows.map((row) => row[at]);
          const given = basis([
            callScores("ab", column(0)),
            callScores("ba", column(1)),
            callScores("ab", column(2), true),
            callScores("ba", column(3), true),
          ]);
          const [now, alone] = [weights(1, 1, 1), weights(...[0, 1, 2].map((at) => (at === index ? 1 : 0)))];
          const flips = result(decide(given, now)) !== result(decide(given, alone));
          if (flips) expect(sensitivityOf(given, now).flip_distance).not.toBeNull();
        },
      ),
      { numRuns: 300 },
    );
  });

  test("against a search of the whole simplex it is the least distance", () => {
    const steps = 20;
    const grid = Array.from({ length: steps + 1 }, (_, x) =>
      Array.from({ length: steps + 1 - x }, (_, y) => [x / steps, y / steps, (steps - x - y) / steps]),
    ).flat();
    fc.assert(
      fc.property(
        fc.array(pair, { minLength: 3, maxLength: 3 }),
        fc.array(pair, { minLength: 3, maxLength: 3 }),
        fc.constantFrom(...grid),
        (ab, ba, start) => {
          const given = basis([callScores("ab", ab), callScores("ba", ba)]);
          const now = result(decide(given, weights(...start)));
          const distances = grid
            .filter((point) => result(decide(given, weights(...point))) !== now)
            .map((point) => point.reduce((sum, value, index) => sum + Math.abs(value - (start[index] ?? 0)), 0) / 2);
          const { flip_distance } = sensitivityOf(given, weights(...start));
          if (flip_distance === null) expect(distances).toEqual([]);
          // No point of the grid with another outcome is nearer.
          else for (const distance of distances) expect(distance).toBeGreaterThan(flip_distance - 1e-4);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("weights moved by the flip distance do change the outcome", () => {
    const given = basis([
      callScores("ab", [
        [4, 1],
        [1, 3],
        [2, 2],
      ]),
      callScores("ba", [
        [4, 1],
        [1, 3],
        [2, 3],
      ]),
    ]);
    const { flip_distance } = sensitivityOf(given, weights(2, 1, 1));
    const moved = (distance: number) => result(decide(given, weights(0.5 - distance, 0.25 + distance, 0.25)));
    expect(moved((flip_distance ?? 0) - 1e-3)).toBe(result(decide(given, weights(2, 1, 1))));
    expect(moved((flip_distance ?? 0) + 1e-3)).not.toBe(result(decide(given, weights(2, 1, 1))));
  });
});

const bothOrders = (a: number, b: number) => [callScores("ab", [[a, b]]), callScores("ba", [[a, b]])];
const passed = (score: number, required_checks: "passed" | "failed" | null = null) => ({
  disqualified: false,
  required_checks,
  probe: { score },
});
const SUSPECT_A = new Set<"a" | "b">(["a"]);

describe("a masked repetition is needed", () => {
  const needed = (calls: readonly CallScores[], parts: Partial<Basis>) =>
    needsMaskedRepetition(basis(calls, parts), weights(1));

  test("for a winner that nothing but the judge names", () => expect(needed(bothOrders(4, 1), {})).toBe(true));
  test("where nobody wins and somebody is suspected, but not where graded checks name the winner", () => {
    expect(needed(bothOrders(2, 2), { suspects: SUSPECT_A })).toBe(true);
    expect(needed(bothOrders(2, 2), { suspects: SUSPECT_A, gates: gatesOf(passed(1), passed(0.4)) })).toBe(false);
  });
  test("not for a suspected winner whom graded checks name, but for one whom they only back", () => {
    const parts = (score: number) => ({ suspects: SUSPECT_A, gates: gatesOf(passed(1), passed(score)) });
    expect([0.4, 0.7].map((score) => needed(bothOrders(4, 1), parts(score)))).toEqual([false, true]);
  });
  test("not where no winner may be named, unless the one who would be is suspected", () => {
    const gates = gatesOf(passed(0.5, "failed"), passed(0.5, "failed"));
    expect(needed(bothOrders(4, 1), { gates })).toBe(false);
    expect(needed(bothOrders(4, 1), { gates, suspects: SUSPECT_A })).toBe(true);
  });
});

test("the judge names no suspected winner when there was no masked repetition", () => {
  const judgeSide = (suspects: Basis["suspects"]) =>
    decide(basis(bothOrders(4, 1), { suspects }), weights(1)).judge_side;
  expect([judgeSide(new Set()), judgeSide(SUSPECT_A)]).toEqual(["a", null]);
});

test("what only the masked repetition found was not suspected before it", () => {
  const found = (["scan", "judge", "second_hearing"] as const).map((found_by) => [
    ...suspectsOf([{ side: "a", found_by }]),
  ]);
  expect(found).toEqual([["a"], ["a"], []]);
});

test("facts against the judge are a conflict, facts against measures that no judge backs are none", () => {
  const gates = gatesOf({ ...passed(1), disqualified: true }, passed(1));
  const measured = [{ id: "one", score_a: 1, score_b: 0, supported: true }];
  const conflict = (calls: readonly CallScores[], parts: Partial<Basis>) => {
    const { winner_side, probe_conflict } = decide(basis(calls, { gates, ...parts }), weights(1));
    return { winner_side, probe_conflict };
  };
  expect(conflict(bothOrders(4, 1), {})).toEqual({ winner_side: "b", probe_conflict: true });
  expect(conflict([], { measured })).toEqual({ winner_side: "b", probe_conflict: false });
});
