import { type Static, Type } from "@sinclair/typebox";
import type { ArmSummary, SessionOutcome } from "../../domain/session.ts";
import { viewScenario } from "./scenario-view.ts";

/** Its schema is in the OpenAPI document; here it would be most of what a client reads about the tools. */
export const FullSession = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "SessionOutcome as in the HTTP API, without the texts of changed files and, unless asked for, hidden parts of the definition and what the hidden checks printed.",
});
export type FullSession = Static<typeof FullSession>;

export function fullSession(outcome: SessionOutcome, includeHidden: boolean): FullSession {
  return {
    ...outcome,
    definition: viewScenario(outcome.definition, includeHidden),
    arms: outcome.arms.map((arm) => ({ ...withoutFileTexts(arm), probe: viewProbe(arm.probe, includeHidden) })),
  };
}

/** A check's reason quotes what it looks for, and its output the hidden files. */
function viewProbe(probe: ArmSummary["probe"], includeHidden: boolean) {
  if (probe === null || includeHidden) return probe;
  return { ...probe, checks: probe.checks.map(({ output: _, ...check }) => ({ ...check, reason: null })) };
}

const withoutFileTexts = (arm: ArmSummary) => ({
  ...arm,
  changes: arm.changes && {
    ...arm.changes,
    files: arm.changes.files.map(({ before: _b, after: _a, ...facts }) => facts),
  },
});
