import { expect, test } from "bun:test";
import { type Basis, decide } from "../../src/comparison/judge/decide.ts";
import { gatesOf } from "../../src/comparison/judge/facts.ts";
import { opinionsOfPanel } from "../../src/comparison/judge/opinion.ts";
import { confidenceOf } from "../../src/comparison/judge/verdict/confidence.ts";
import { heardJudge, panelOverturned, panelWinner } from "../../src/comparison/judge/verdict/panel-statement.ts";
import type { CallScores } from "../../src/comparison/judge/verdict/score-table.ts";
import { CONFIDENCES, type Side } from "../../src/domain/verdict.ts";

const MARGIN = 0.05;
const WEIGHTS = new Map([["x", 1]]);

/** How far a judge puts arm a ahead in both orders; null is silence. */
const GAPS = { "+": 1, p: 0.08, T: MARGIN, "0": 0, t: -MARGIN, "-": -1, x: null } as const;
type Vote = keyof typeof GAPS;
const VOTES = Object.keys(GAPS) as Vote[]; // the keys as they are written above

/** One hearing of one judge. */
const hearing = (judge: string, gap: number | null, masked = false): CallScores[] =>
  (["ab", "ba"] as const).map((order) => ({
    ...{ judge, order, masked, valid: gap !== null },
    scores: [{ id: "x", score_a: 2 + 2 * (gap ?? 0), score_b: 2 - 2 * (gap ?? 0), supported: true }],
  }));

const facts = { disqualified: false, required_checks: null, probe: { score: 1 } };

const basisOf = (calls: readonly CallScores[], judges: number, suspects: readonly Side[] = []): Basis => ({
  ...{ calls, measured: [], gates: gatesOf(facts, facts), tie_margin: MARGIN, suspects: new Set(suspects) },
  seats: Array.from({ length: judges }, (_, index) => ({ judge: `j${index}`, suspects: new Set(suspects) })),
});

interface Judged {
  /** From 0 for none to 3 for high. */
  readonly confidence: number;
  readonly winner: Side | null;
}

const known = new Map<string, Judged>();

/** The order of the judges means nothing. */
function judgedBy(votes: readonly Vote[]): Judged {
  const key = votes.toSorted().join("");
  const found = known.get(key) ?? judged(votes);
  known.set(key, found);
  return found;
}

function judged(votes: readonly Vote[]): Judged {
  const calls = votes.flatMap((vote, index) => hearing(`j${index}`, GAPS[vote]));
  const basis = basisOf(calls, votes.length);
  const scored = decide(basis, WEIGHTS);
  return { confidence: LEVELS.indexOf(confidenceOf(scored, basis, [])), winner: scored.winner_side };
}

const LEVELS = CONFIDENCES.toReversed();

const panels = (size: number): Vote[][] =>
  size === 0 ? [[]] : panels(size - 1).flatMap((rest) => VOTES.map((vote) => [...rest, vote]));

test.each([3, 5])("silence is worth no more than anything that could have been said, with %p judges", (size) => {
  const raised: string[] = [];
  for (const votes of panels(size))
    for (const index of votes.keys()) {
      const silent = judgedBy(votes.with(index, "x"));
      const better = VOTES.filter((one) => silent.confidence > judgedBy(votes.with(index, one)).confidence);
      raised.push(...better.map((one) => `${votes.with(index, "x").join("")} above ${one} at ${index}`));
    }
  expect(raised).toEqual([]);
});

test("two votes win nothing with a silent judge, and four are no firmer than with a vote against them", () => {
  const level = (votes: readonly Vote[]) => LEVELS[judgedBy(votes).confidence] ?? "none";
  expect([level(["+", "+", "+"]), level(["+", "+", "0"]), level(["+", "+", "x"])]).toEqual(["high", "medium", "none"]);
  const four = (fifth: Vote) => level(["p", "p", "p", "p", fifth]);
  expect([four("0"), four("-"), four("x")]).toEqual(["medium", "low", "low"]);
});

const words = (basis: Basis) => ({
  members: opinionsOfPanel(basis, WEIGHTS).map(heardJudge),
  names: { a: "alpha", b: "beta" },
  measured: false,
});

test("where hearings without words take a panel's winner away, the votes of both hearings are told", () => {
  const calls = [
    ...[...hearing("j0", 1), ...hearing("j0", 0, true)],
    ...[...hearing("j1", 1), ...hearing("j1", 1, true)],
    ...hearing("j2", 0),
  ];
  const basis = basisOf(calls, 3);
  expect(decide(basis, WEIGHTS)).toMatchObject({ outcome: "inconclusive", lean_side: "a", second: "overturns" });
  expect(panelOverturned(words(basis))).toBe(
    "of 3 judges, 2 favoured alpha, 1 favoured neither clearly in both presentation orders; counting what stands without the arms' own words, 1 favoured alpha, 2 favoured neither clearly; no winner is named",
  );
});

test("a masked repetition that failed, or could not be held, is told as such", () => {
  const unusable = [...hearing("j0", 1), ...hearing("j0", null, true), ...hearing("j1", 1), ...hearing("j2", 0)];
  expect(panelOverturned(words(basisOf(unusable, 3)))).toContain(
    "own words, 1 favoured alpha, 1 favoured neither clearly, 1 gave no usable answer;",
  );
  expect(
    panelOverturned(words(basisOf([...hearing("j0", 1), ...hearing("j1", 1), ...hearing("j2", 1)], 3, ["a"]))),
  ).toContain("own words, 3 could not be asked without them;");
});

test("of a winner's votes those are counted that were not confirmed", () => {
  const near = [...hearing("j0", 0.1), ...hearing("j0", 0.02, true)];
  const firm = ["j1", "j2"].flatMap((judge) => [...hearing(judge, 1), ...hearing(judge, 1, true)]);
  expect(panelWinner(words(basisOf([...near, ...firm], 3)), "a")).toBe(
    "3 of 3 judges favoured alpha over beta in both presentation orders, but 1 of the 3 named no winner when the arms' own words were withheld",
  );
});
