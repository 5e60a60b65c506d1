import type { Bounded } from "../../runtime/bounded.ts";
import { inChild } from "../../runtime/child-work.ts";

/** A JSON Schema of a scenario's author, of draft 2020-12 unless it names an earlier one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a schema says of a value: why it does not fit in the words of the schema alone, or why it cannot say anything. */
export type SchemaFinding = { readonly fits: true } | { readonly fault: string } | { readonly unusable: string };

/**
 * How a value fits a schema, told within a number of steps that is the same on every machine. Compiling a schema takes too long
 * for the event loop, so a child does it.
 * @throws the signal's reason when it fires
 */
export const fitAnswer = (schema: JsonSchema, value: unknown, signal: AbortSignal): Promise<Bounded<SchemaFinding>> =>
  inChild<SchemaFinding>("fit-answer", { schema, value }, { signal });

/** What is wrong with each of the schemas of one scenario, in a few words; null for one that can be used. */
export const checkSchemas = (schemas: readonly JsonSchema[]): Promise<Bounded<readonly (string | null)[]>> =>
  inChild("check-schemas", schemas);
