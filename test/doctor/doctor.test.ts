import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { DoctorReport } from "../../src/domain/doctor-report.ts";
import { diagnose } from "../../src/doors/doctor/doctor.ts";
import { ENDPOINTS } from "../../src/doors/endpoint/endpoints.ts";
import { SCENARIOS } from "../harness.ts";
import { failureOf } from "../scenario/scenario-folder.ts";
import { diagnoseFile, goodScenario, never, ofScenario, servicesOver } from "./small-scenario.ts";

test("an unknown scenario is a failure that names a likely one", async () => {
  const failure = await failureOf(diagnose(servicesOver(SCENARIOS), "pager-last-pag", never));
  expect([failure.code, failure.message]).toEqual([
    "unknown_scenario",
    'there is no scenario "pager-last-pag"; did you mean "pager-last-page"?',
  ]);
});

test("a report has the shape that the endpoint promises, with a broken scenario and with a good one", async () => {
  const reports = [await diagnoseFile(goodScenario()), await diagnoseFile({ name: "small" })];
  expect(reports.map((report) => [...Value.Errors(DoctorReport, report)])).toEqual([[], []]);
  expect(ENDPOINTS.runDoctor.output).toBe(DoctorReport);
});

test("ids of a scenario's checks are unique and begin with a part of the scenario", async () => {
  const ids = ofScenario(await diagnoseFile(goodScenario())).map(({ id }) => id);
  const areas = new Set(ids.map((id) => id.split(".")[0]));
  expect(areas).toEqual(
    new Set([
      ...["parse", "arms", "replay", "models", "rubric", "budget", "task", "reference"],
      ...["fixture", "leak", "mcp", "agents", "imports", "endpoints", "programs", "probe"],
    ]),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test("a caller whose signal has fired gets its reason, and no check runs", async () => {
  const gone = AbortSignal.abort(new Error("gone"));
  expect(diagnose(servicesOver(SCENARIOS), null, gone)).rejects.toThrow("gone");
});

describe("the estimate", () => {
  const priced = () => {
    const scenario = goodScenario();
    const [first, second] = scenario.arms;
    const price_per_mtok = { in: 1, out: 10 };
    const arms = [{ ...first, model: "openai/gpt-x", script: null, price_per_mtok }, second];
    const policies = { ...scenario.policies, budget: { max_tokens: 100_000, max_turns: 5 } };
    return { ...scenario, arms, policies };
  };

  test("goes from a short run to the end of the budgets, and costs what the prices say", async () => {
    const { estimate } = await diagnoseFile(priced());
    // Two arms of 100,000 tokens, of which 5 x 8192 may be output.
    const high_usd = (2 * (59_040 * 1 + 40_960 * 10)) / 1e6;
    expect(estimate).toMatchObject({ high_tokens: 200_000, high_usd });
    const { low_tokens = 0, low_usd } = estimate ?? {};
    // Two arms of five turns, each of which writes 150 tokens.
    expect(low_usd).toBeCloseTo((low_tokens - 1_500 + 15_000) / 1e6, 10);
  });

  test("stops at the cost caps", async () => {
    const scenario = priced();
    const budget = { ...scenario.policies.budget, max_cost_usd: 0.25 };
    const { estimate } = await diagnoseFile({ ...scenario, policies: { ...scenario.policies, budget } });
    expect(estimate?.high_usd).toBe(0.5);
  });

  test("has a low end no higher than its high end, even when a cap is below a short run", async () => {
    const scenario = priced();
    const budget = { max_tokens: 4_000, max_turns: 5, max_cost_usd: 0.005 };
    const { estimate } = await diagnoseFile({ ...scenario, policies: { ...scenario.policies, budget } });
    expect(estimate).toMatchObject({ low_usd: 0.01, high_usd: 0.01, low_tokens: 8_000, high_tokens: 8_000 });
  });

  test("has no cost when a model has no price, and still counts its tokens", async () => {
    const scenario = priced();
    const rubric = { criteria: ["Is it right?"], judge: { model: "anthropic/claude-x", max_evidence_tokens: 1_000 } };
    const { estimate } = await diagnoseFile({ ...scenario, rubric });
    expect(estimate).toMatchObject({ low_usd: null, high_usd: null });
    // Six calls (two orders, each asked again twice) with 2 x 1000 tokens of evidence and 8192 of answer, and the brief;
    // and six in the masked repetition.
    expect(estimate?.high_tokens).toBeGreaterThan(200_000 + 12 * (2_000 + 8_192));
  });

  test("knows the judge's price when an arm uses its model", async () => {
    const scenario = priced();
    const rubric = { criteria: ["Is it right?"], judge: { model: "openai/gpt-x" } };
    const { estimate } = await diagnoseFile({ ...scenario, rubric });
    expect(estimate?.low_usd).toBeGreaterThan(0);
    expect(estimate?.high_usd).toBeGreaterThan((2 * (59_040 + 409_600)) / 1e6);
  });
});
