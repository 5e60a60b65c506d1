import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { DECISION_KINDS, Decision } from "../../src/domain/decision.ts";
import { EXAMPLE_DECISION } from "../../src/doors/http/openapi/examples/session.ts";

const { detail, ...step } = EXAMPLE_DECISION;

test.each(DECISION_KINDS)("a decision of kind %s may do without a detail, but has no other kind's", (kind) => {
  expect(Value.Check(Decision, { ...step, kind })).toBe(true);
  expect(Value.Check(Decision, { ...step, kind, detail })).toBe(kind === EXAMPLE_DECISION.kind);
});
