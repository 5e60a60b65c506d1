import type { Scenario } from "../../domain/scenario.ts";

/** A scenario file, read and resolved. */
export interface LoadedScenario {
  readonly definition: Scenario;
  /** SHA-256 over the definition, which holds the digests of all bytes that it refers to. */
  readonly digest: string;
  /** The file as the caller named it. */
  readonly file: string;
  /** Absolute; where the definition's directories start. */
  readonly directory: string;
  /** Absolute; has the files of each git tree below the tree's id. Absent: they are in the repository around `directory`. */
  readonly trees?: string;
}

/** Where the files lie that a definition refers to. */
export type ScenarioPlace = Pick<LoadedScenario, "directory" | "trees">;
