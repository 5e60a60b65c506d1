import { expect, test } from "bun:test";
import { type GateFacts, gatesOf, vetoes } from "../../src/comparison/judge/facts.ts";

const facts = (parts: Partial<GateFacts> = {}): GateFacts => ({
  disqualified: false,
  required_checks: null,
  probe: null,
  ...parts,
});
const graded = (score: number) => facts({ probe: { score } });

test("no facts, no gate", () => {
  expect(gatesOf(facts(), facts())).toEqual({
    winner_side: null,
    decided_by: null,
    reason: null,
    no_winner: null,
    probe_gap: null,
  });
});

test("exactly one disqualified arm loses, also when it passed the checks", () => {
  const gates = gatesOf(facts({ disqualified: true, required_checks: "passed" }), facts({ required_checks: "failed" }));
  expect(gates).toEqual({
    winner_side: "b",
    decided_by: "gate",
    reason: "disqualified",
    no_winner: null,
    probe_gap: null,
  });
});

test("two disqualified arms have no winner, whatever the checks say", () => {
  const gates = gatesOf(
    facts({ disqualified: true, probe: { score: 1 } }),
    facts({ disqualified: true, probe: { score: 0 } }),
  );
  expect({ winner: gates.winner_side, no_winner: gates.no_winner, decided_by: gates.decided_by }).toEqual({
    winner: null,
    no_winner: "both_disqualified",
    decided_by: "gate",
  });
});

test("exactly one arm passing all required checks wins", () => {
  const gates = gatesOf(facts({ required_checks: "failed" }), facts({ required_checks: "passed" }));
  expect({ winner: gates.winner_side, decided_by: gates.decided_by, reason: gates.reason }).toEqual({
    winner: "b",
    decided_by: "probe",
    reason: "required_checks",
  });
});

test("required checks that ran for one arm only decide nothing", () => {
  expect(gatesOf(facts({ required_checks: "passed" }), facts()).winner_side).toBeNull();
});

test("a graded gap of a half decides, in binary fractions too", () => {
  expect([
    gatesOf(graded(0.7), graded(0.2)).winner_side,
    gatesOf(graded(0.2), graded(0.7)).winner_side,
    gatesOf(graded(0.69), graded(0.2)).winner_side,
  ]).toEqual(["a", "b", null]);
});

test("a graded gap where neither passed the required checks only leans", () => {
  const gates = gatesOf(
    facts({ required_checks: "failed", probe: { score: 0.9 } }),
    facts({ required_checks: "failed", probe: { score: 0.1 } }),
  );
  expect({ winner: gates.winner_side, no_winner: gates.no_winner }).toEqual({
    winner: "a",
    no_winner: "neither_solved",
  });
});

test("a graded gap of a quarter vetoes the other side only", () => {
  const gates = gatesOf(graded(0.7), graded(0.45));
  expect([vetoes(gates, "a"), vetoes(gates, "b"), vetoes(gatesOf(graded(0.7), graded(0.46)), "b")]).toEqual([
    false,
    true,
    false,
  ]);
});
