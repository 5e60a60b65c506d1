import { type Static, Type } from "@sinclair/typebox";
import { nullable, record } from "./schema.ts";

/** A row of the scenario list. A broken file has a row too: its name, no arms, and the error. */
export const ScenarioListing = record("ScenarioListing", {
  name: Type.String({ description: "The file's name without its ending." }),
  title: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  arms: Type.Array(record("ScenarioListingArm", { id: Type.String(), title: Type.String(), model: Type.String() })),
  error: nullable(Type.String(), { description: "Why it cannot be run; null when it can." }),
});
export type ScenarioListing = Static<typeof ScenarioListing>;
