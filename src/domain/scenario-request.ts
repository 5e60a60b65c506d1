import { type Static, Type } from "@sinclair/typebox";
import { ScenarioDefinition } from "./request.ts";
import { record, Slug } from "./schema.ts";

export const ScenarioRequest = record("ScenarioRequest", {
  definition: { ...ScenarioDefinition, description: "A scenario as its file would say it." },
  inputs: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      minItems: 1,
      description: "Its rows, where `definition` has none.",
    }),
  ),
});
export type ScenarioRequest = Static<typeof ScenarioRequest>;

export const ScenarioName = record("ScenarioName", { name: Slug({ description: "Of the scenario." }) });

/** A scenario of a store without its text. */
export interface StoredScenario {
  readonly name: string;
  /** Names its text. */
  readonly version: string;
  /** It runs commands, or names files, programs or addresses. */
  readonly commands: boolean;
}

/** Scenarios that somebody sent to one of the processes on a store. */
export interface ScenarioStore {
  /** By name. */
  list(): Promise<readonly StoredScenario[]>;
  /** @throws Failure `unknown_scenario` */
  text(name: string): Promise<string>;
  /** False: what is there is not the version `expected`; null: nothing may be there. Then nothing was written. */
  write(row: StoredScenario & { readonly text: string }, expected: string | null): Promise<boolean>;
}
