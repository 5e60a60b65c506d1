import type { SeriesOptions } from "../../src/comparison/planning/prepare-series.ts";
import { seriesSource } from "../../src/comparison/planning/prepare-series.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import type { Baseline } from "../../src/domain/baseline.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";

const STEPS = [1, 2, 3, 4, 5, 6];

const turns = (score: number) => [
  {
    say: STEPS.filter((step) => step <= score)
      .map((step) => `step ${step};`)
      .join(" "),
  },
];

/** An arm that leaves one of these scores, each as often. */
export const scored = (id: string, scores: readonly number[], more: object = {}) => ({
  ...{ id, model: `scripted/${id}`, system_prompt: `You are ${id}.` },
  scripts: scores.map((score) => ({ weight: 1, turns: turns(score) })),
  ...more,
});

/** Whoever has the higher score wins. */
export const scoredScenario = (arms: readonly object[], parts: object = {}) =>
  JSON.stringify({
    name: "scored",
    task: {
      prompt: "Leave a score.",
      deliverable: "answer",
      probe: {
        checks: STEPS.map((step) => ({ id: `step-${step}`, answer_contains: `step ${step};`, before: "fail" })),
      },
    },
    arms,
    rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
    ...parts,
  });

interface Ask extends SeriesOptions {
  readonly baseline?: Baseline;
  readonly goOn?: string;
}

/** Runs a series of files to its end, or goes on with one. */
export async function seriesOf(
  services: SessionServices,
  files: string | readonly string[],
  { baseline, ...options }: Ask,
) {
  const source = seriesSource(await Promise.all([files].flat().map((file) => loadScenarioFile(file))));
  const { done } = await openSeries(services, { ...source, ...(baseline && { baseline }) }, options);
  const record = await done;
  return { record, series: await seriesReport(services.store, record) };
}
