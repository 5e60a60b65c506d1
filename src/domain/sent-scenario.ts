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

/** A scenario of a store without its text. */
export interface KeptScenario {
  readonly name: string;
  /** Names its text. */
  readonly version: string;
  /** It runs commands, or names files, programs or addresses. */
  readonly commands: boolean;
}

/** Scenarios that somebody sent to one of the processes on a store. */
export interface KeptScenarios {
  /** By name. */
  list(): Promise<readonly KeptScenario[]>;
  text(name: string): Promise<string | undefined>;
  /** False: what is there is not the version `expected`; null: nothing may be there. Then nothing was written. */
  write(row: KeptScenario & { readonly text: string }, expected: string | null): Promise<boolean>;
}
