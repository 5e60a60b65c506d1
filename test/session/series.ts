import type { ModelClient, ModelRequest } from "../../src/arms/model/client.ts";
import { seriesSource } from "../../src/comparison/planning/prepare-series.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { scenarioDigest } from "../../src/comparison/scenario/digest.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { type OpenOptions, openSeries } from "../../src/comparison/session/open-series.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import type { Series } from "../../src/domain/series.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";
import { bundled, testServices } from "../harness.ts";
import { called, spoken, wellFormed } from "../judge/mock-judge.ts";

/** What the judge makes of a trial: a side, nobody, or no usable answer. */
type Preference = "a" | "b" | "tie" | "unusable";

/** A scenario without files, whose arms are models that say something new in each trial. */
export async function talk(name = "talk"): Promise<LoadedScenario> {
  const { definition, ...loaded } = await bundled("log-triage");
  const [first] = definition.arms;
  const arm = (id: "a" | "b") => ({ ...first, id, model: `fake/${id}`, script: null, tools: [] });
  const changed: Scenario = {
    ...definition,
    name,
    task: {
      ...definition.task,
      prompt: `Say something of ${name}.`,
      fixture: null,
      setup: [],
      probe: null,
      reference_fix: null,
    },
    arms: [arm("a"), arm("b")],
    policies: { ...definition.policies, required: [] },
    rubric: {
      ...definition.rubric,
      criteria: [{ id: "said", kind: "judged", question: "Is it well said?", weight: 1, anchors: {} }],
      judge: { ...definition.rubric.judge, model: "fake/judge" },
    },
  };
  return { ...loaded, definition: changed, digest: scenarioDigest(changed) };
}

export interface Talk {
  /** What the judge makes of the nth run of arm a, from 1. */
  readonly judge: (run: number) => Preference;
  /** Called before an arm's answer. */
  readonly before?: (side: string, run: number, signal: AbortSignal) => void | Promise<void>;
  /** Every run says the same. */
  readonly alike?: boolean;
}

/** A system in memory whose models talk, and whose judge does as it is told. */
export function talkServices(
  { judge, before, alike = false }: Talk,
  changes: Partial<SessionServices> = {},
): SessionServices {
  const runs = new Map<string, number>();
  const arm = (side: string): ModelClient => ({
    ref: `fake/${side}`,
    complete: async (_request, { signal }) => {
      const run = (runs.get(side) ?? 0) + 1;
      runs.set(side, run);
      await before?.(side, run, signal);
      return { ...spoken(`arm ${side} says ${alike ? 0 : run}`), stop_reason: "end" };
    },
  });
  const judged: ModelClient = {
    ref: "fake/judge",
    complete: async (request) => called(judgementOf(request, judge)),
  };
  const resolveModel = (ref: string) => (ref === "fake/judge" ? judged : arm(ref.slice("fake/".length)));
  return testServices({}, { resolveModel, ...changes });
}

/** What such a judge answers. */
export function judgementOf(request: ModelRequest, judge: Talk["judge"]): unknown {
  const preference = judge(runOf(request));
  if (preference === "unusable") return {};
  return wellFormed(request, ({ evidence }) => ({
    said: evidence.includes(`arm ${preference} says`) ? 4 : preference === "tie" ? 3 : 1,
  }));
}

/** The run of arm a that a judge is shown. */
const runOf = (request: ModelRequest): number => Number(/arm a says (\d+)/.exec(JSON.stringify(request))?.[1] ?? 0);

/** As `talk`, as a file. `provider` serves both arms and the judge. */
export const talkText = (name = "talk", provider = "fake") => `
name: ${name}
title: Talk of ${name}
task: {prompt: Say something of ${name}.}
arms:
  - {id: a, model: ${provider}/a, tools: []}
  - {id: b, model: ${provider}/b, tools: []}
rubric:
  criteria: [{id: said, question: Is it well said?}]
  judge: {model: ${provider}/judge}
`;

/** Runs a table of so many rows. */
export async function runTable(services: SessionServices, count: number, options: OpenOptions): Promise<Series> {
  const loaded = await talk();
  const rows = Array.from({ length: count }, (_, index) => {
    const definition = { ...loaded.definition, input: { id: `r${index + 1}`, values: { n: index } } };
    return { ...loaded, definition, digest: scenarioDigest(definition) };
  });
  const { done } = await openSeries(services, seriesSource(rows), options);
  return await seriesReport(services.store, await done);
}
