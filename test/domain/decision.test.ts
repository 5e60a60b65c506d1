import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { DECISION_KINDS, Decision } from "../../src/domain/decision.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";

const [turn] = EXAMPLES.session.decisions["plain"] ?? [];
if (!turn) throw new Error("the example has no decision");
const { detail, ...step } = turn;

test.each(DECISION_KINDS)("a decision of kind %s may do without a detail, but has no other kind's", (kind) => {
  expect(Value.Check(Decision, { ...step, kind })).toBe(true);
  expect(Value.Check(Decision, { ...step, kind, detail })).toBe(kind === turn.kind);
});
