import type { RequiredResult } from "./evidence.ts";

/** Each required behaviour that an arm did not show: `ran-tests (run_command: 0 of 1 call)`. */
export const unmetText = ({ required }: { readonly required: readonly RequiredResult[] }): readonly string[] =>
  required
    .filter(({ met }) => !met)
    .map(({ id, tool, count, min }) => `${id} (${tool}: ${count} of ${min} ${min === 1 ? "call" : "calls"})`);
