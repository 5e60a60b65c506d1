import { expect, test } from "bun:test";
import { judgeIdentity } from "../../src/comparison/judge/open-judge.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { light, runOnce, testServices } from "../harness.ts";
import { judgeWith, RATE_LIMIT_OPINIONS } from "../web/fake-judge.ts";

const SIZE = { id: "size", kind: "measured", measure: "changed_lines", weight: 1 } as const;

const CASES = [
  ["a model", "openai/judge", {}],
  ["no model", "builtin/evidence", {}],
  ["a model that has nothing to judge", "openai/judge", { criteria: [SIZE] }],
] as const satisfies readonly (readonly [string, string, Partial<Scenario["rubric"]>])[];

test.each(CASES)("who will judge is known before a run, as its verdict says it: %s", async (_title, model, rubric) => {
  await using server = await startFakeProvider({ reply: judgeWith(RATE_LIMIT_OPINIONS) });
  const loaded = await light("extract-rate-limit");
  const definition = { ...loaded.definition, rubric: { ...loaded.definition.rubric, ...rubric } };
  const run = { ...loaded, definition };
  const { outcome } = await runOnce(testServices(server.environment), run, { judge_model: model });
  const { model_served: _served, ...identity } = outcome.verdict?.judge ?? {};
  expect<unknown>(judgeIdentity(model, definition)).toEqual(identity);
});
