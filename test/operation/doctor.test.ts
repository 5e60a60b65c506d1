import { expect, test } from "bun:test";
import type { SessionListing } from "../../src/domain/session-list.ts";
import { runDoctor } from "../../src/doors/operation/doctor.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { goodScenario, never, servicesOver } from "../doctor/small-scenario.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

const MODEL = "openai/gpt-x";

const ended = (cost_usd: number, model = MODEL) =>
  ({ arms: [{ model }, { model: "scripted/a" }], cost_usd }) as unknown as SessionListing;

async function estimateAfter(listed: readonly SessionListing[], trials?: number) {
  const { arms, ...scenario } = goodScenario();
  const [first, second] = arms;
  const priced = { ...first, model: MODEL, script: null, price_per_mtok: { in: 1, out: 10 } };
  const file = JSON.stringify({
    ...scenario,
    arms: [priced, { ...second, model: "scripted/a", script: [{ say: "Done." }] }],
  });
  await using folder = await scenarioFolder({ "small.yaml": file });
  const store = Object.assign(memoryStore(), { list: async () => listed });
  const services = servicesOver(folder.path("."), { store });
  return (await runDoctor(services, { scenario: "small", ...(trials && { trials }) }, never)).estimate;
}

test("a likely cost goes by the median of earlier runs with the same models; the bound stays", async () => {
  const before = await estimateAfter([]);
  const after = await estimateAfter([ended(0.3), ended(0.1), ended(0.2), ended(9, "openai/another")], 10);
  expect(before?.likely_usd).toBe(before?.low_usd);
  expect(after).toMatchObject({ likely_usd: 0.2, low_usd: before?.low_usd, bound_usd: before?.bound_usd });
  expect(after?.series?.likely_usd).toBeCloseTo(2, 9);
  expect(after?.note).toStartWith("likely: the median of 3 earlier runs; else ");
});
