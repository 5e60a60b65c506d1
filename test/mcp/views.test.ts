import { expect, test } from "bun:test";
import { type TObject, TypeGuard } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Scenario } from "../../src/domain/scenario.ts";
import { SessionOutcome } from "../../src/domain/session.ts";
import { Verdict } from "../../src/domain/verdict.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { pageDecisions, pageDiff } from "../../src/doors/mcp/view/arm-pages.ts";
import { fullSession } from "../../src/doors/mcp/view/full-session.ts";
import { ScenarioView, viewScenario } from "../../src/doors/mcp/view/scenario-view.ts";
import { SessionView, summariseSession } from "../../src/doors/mcp/view/session-summary.ts";
import { VerdictView, viewVerdict } from "../../src/doors/mcp/view/verdict-view.ts";

const UNLISTED = { of_a_later_version: "CANARY" };

/** A whole session in which everything that a view is made of has a field that no view names. */
function sessionOfALaterVersion(): SessionOutcome {
  const verdict = { ...EXAMPLES.verdict, ...UNLISTED };
  const { definition, arms } = EXAMPLES.session;
  const [first, second] = definition.arms;
  const [left, right] = arms.map((arm) => ({
    ...arm,
    ...UNLISTED,
    changes: arm.changes && {
      ...arm.changes,
      ...UNLISTED,
      files: arm.changes.files.map((file) => ({ ...file, ...UNLISTED })),
    },
    probe: arm.probe && {
      ...arm.probe,
      ...UNLISTED,
      checks: arm.probe.checks.map((check) => ({ ...check, ...UNLISTED })),
    },
  }));
  if (!left || !right) throw new Error("a session has two arms");
  return {
    ...EXAMPLES.session,
    ...UNLISTED,
    definition: {
      ...definition,
      ...UNLISTED,
      task: { ...definition.task, ...UNLISTED },
      arms: [
        { ...first, ...UNLISTED },
        { ...second, ...UNLISTED },
      ],
    },
    arms: [left, right],
    verdict,
    verdicts: [verdict],
  };
}

test("a field that no view names is shown by none", () => {
  const outcome = sessionOfALaterVersion();
  const [arm] = outcome.arms;
  const steps = (outcome.decisions[arm.arm_id] ?? []).map((step) => ({ ...step, ...UNLISTED }));
  const shown = [
    fullSession(outcome, false),
    summariseSession(outcome),
    viewVerdict({ ...EXAMPLES.verdict, ...UNLISTED }, 4),
    pageDiff(arm, { after_seq: 0, limit: 10, bytes: 10_000 }),
    pageDecisions(arm.arm_id, steps, { after_seq: 0, limit: 10, chars: 1_000, detail: false, bytes: 10_000 }),
  ];
  expect(steps.length).toBeGreaterThan(0);
  expect(arm.changes?.files.length).toBeGreaterThan(0);
  expect(arm.probe?.checks.length).toBeGreaterThan(0);
  expect(JSON.stringify(shown)).not.toContain("CANARY");
});

test("a view has every field that its schema promises", () => {
  const full = fullSession(EXAMPLES.session, false);
  expect([
    [...Value.Errors(SessionView, summariseSession(EXAMPLES.session))],
    [...Value.Errors(VerdictView, viewVerdict(EXAMPLES.verdict, 4))],
    [...Value.Errors(ScenarioView, full.definition)],
  ]).toEqual([[], [], []]);
});

test("a scenario names the program that answers in a model's place, for each of its arms", () => {
  const { definition } = EXAMPLES.session;
  const [first, second] = definition.arms;
  const endpoint = { url: "https://app.internal/a", version: "2", headers_env: { authorization: "ABEVAL_ENDPOINT_A" } };
  const arms: Scenario["arms"] = [
    { ...first, endpoint },
    { ...second, program: { run: ["python3", "a.py"] } },
    { ...second, id: "third" },
  ];
  const viewed = viewScenario({ ...definition, arms }, false);
  expect(viewed.arms.map(({ agent }) => agent)).toEqual([
    "endpoint https://app.internal/a, version 2",
    "program python3 a.py",
    "claude-code@claude-2.1.330",
  ]);
  expect([...Value.Errors(ScenarioView, viewed)]).toEqual([]);
});

const LOST = {
  ...{ started_at: EXAMPLES.session.created_at, lost_at: EXAMPLES.session.created_at },
  ...{ tokens_in: 10, tokens_out: null, cost_usd: null },
};

test("the full detail of a session has every field of a session and of a verdict", () => {
  const full = fullSession(EXAMPLES.session, true);
  const fieldsOf = ({ properties, required = [] }: TObject, example: object) =>
    Object.keys(properties).filter((name) => required.includes(name) || name in example);
  const outcome: unknown = SessionOutcome;
  if (!TypeGuard.IsObject(outcome)) throw new Error("an outcome is no object");
  expect(Object.keys(full).sort()).toEqual(fieldsOf(outcome, EXAMPLES.session).sort());
  expect(Object.keys(full.verdict ?? {}).sort()).toEqual(fieldsOf(Verdict, EXAMPLES.verdict).sort());
  const trial = { series_id: "series-20260102T030405678Z-0123abcd", trial: 3, round: 3 };
  const more = { trial, comparison: EXAMPLES.session.scenario_digest, votes: [EXAMPLES.vote], lost_attempts: [LOST] };
  expect(fullSession({ ...EXAMPLES.session, ...more }, true)).toMatchObject(more);
});

test("an arm in full detail has every field of an arm, and of its files all but the text", () => {
  const [shown] = fullSession(EXAMPLES.session, true).arms;
  const [arm] = EXAMPLES.session.arms;
  expect(Object.keys(shown ?? {}).sort()).toEqual(Object.keys(arm).sort());
  const { before: _before, after: _after, ...facts } = arm.changes?.files[0] ?? {};
  expect(shown?.changes?.files[0] as unknown).toEqual(facts);
});
