import { expect, test } from "bun:test";
import { judgeIdentity } from "../../src/comparison/judge/open-judge.ts";
import { comparabilityDigest, selfTestKey } from "../../src/comparison/scenario/digest.ts";
import type { SelfTestPart } from "../../src/domain/self-test.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { aSelfTest } from "../outcomes.ts";
import { scenarioIn } from "../scenario/scenario-folder.ts";
import { diagnoseFile, goodScenario, ofScenario } from "./small-scenario.ts";

const JUDGED = { ...goodScenario(), rubric: { criteria: ["Is it right?"], judge: { model: "openai/gpt-y" } } };

async function checkedWith(store = memoryStore()) {
  const report = await diagnoseFile(JUDGED, { store, environment: { OPENAI_API_KEY: "k" } });
  return ofScenario(report).find(({ id }) => id === "rubric.self_test");
}

test("doctor says that a judge was never tested on a scenario, and how to", async () => {
  expect(await checkedWith()).toMatchObject({ status: "skip", detail: expect.stringContaining("abeval judge-test") });
});

test("doctor shows what the last self-test of the judge found, and how old it is", async () => {
  const text = JSON.stringify(JUDGED);
  const definition = await scenarioIn({ text, file: "small.yaml", stem: "small", directory: "/nowhere" });
  const judge = judgeIdentity("openai/gpt-y", definition);
  const digest = comparabilityDigest(definition);
  const store = memoryStore();
  const created_at = new Date(Date.now() - 50 * 3_600_000).toISOString();
  const part: SelfTestPart = { id: "same_evidence", verdict: "fail", note: "it named a winner", trials: [] };
  await store.self_tests.keep(
    selfTestKey(digest, judge),
    aSelfTest({ judge, digest, parts: [part], verdict: "fail", created_at }),
  );
  expect(await checkedWith(store)).toMatchObject({
    status: "warn",
    detail: "openai/gpt-y, 2 days ago: same_evidence fail: it named a winner",
  });
});
