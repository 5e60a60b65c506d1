import { type Static, Type } from "@sinclair/typebox";
import { SentScenario } from "./request.ts";
import { record, Slug } from "./schema.ts";

export const ScenarioSent = record("ScenarioSent", {
  definition: { ...SentScenario, description: "A scenario as its file would say it." },
  inputs: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      minItems: 1,
      description: "Its rows, where `definition` has none.",
    }),
  ),
});
export type ScenarioSent = Static<typeof ScenarioSent>;

export const ScenarioKept = record("ScenarioKept", { name: Slug({ description: "Of the scenario." }) });
