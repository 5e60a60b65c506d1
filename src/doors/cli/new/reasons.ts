import type { ScenarioError } from "../../../comparison/scenario/parse-scenario.ts";
import type { Failure } from "../../../domain/failure.ts";

/** Leaves out the line numbers, which are those of a deleted draft. */
export function reasonsOf({ details, message }: Failure): string {
  const errors: unknown = details?.["errors"];
  if (!Array.isArray(errors)) return message;
  return (errors as ScenarioError[]).map(({ field, message: said }) => `${field}: ${said}`).join("; "); // as parseScenario documents
}
