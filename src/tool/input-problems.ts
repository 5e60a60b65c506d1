import { Kind, type TSchema } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { closest, distance } from "fastest-levenshtein";
import { excerpt } from "../domain/excerpt.ts";

/** What is wrong with a tool's input, a line for each field. */
export function inputProblems(schema: TSchema, input: unknown): readonly string[] {
  const fields = Object.keys(schema["properties"] ?? {});
  const byField = new Map<string, string>();
  for (const error of Value.Errors(schema, input)) {
    const field = error.path.slice(1);
    // The first error of a field is the one that caused the others.
    if (!byField.has(field)) byField.set(field, problem(error, field, fields));
  }
  return [...byField.values()];
}

function problem(error: ValueError, field: string, fields: readonly string[]): string {
  if (error.type === ValueErrorType.ObjectAdditionalProperties) return unknownField(field, fields);
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `- ${field}: is missing; ${expected(error.schema)}`;
  if (field === "") return `- expected an object with ${fields.join(", ")}, got ${kindOf(error.value)}`;
  if (error.type === ValueErrorType.StringMinLength) return `- ${field}: must not be empty`;
  if (error.type === ValueErrorType.StringMaxLength)
    return `- ${field}: has ${String(error.value).length} characters, at most ${error.schema["maxLength"]} are taken`;
  if (error.type === ValueErrorType.IntegerMinimum) return `- ${field}: must be at least ${error.schema["minimum"]}`;
  if (error.type === ValueErrorType.NumberExclusiveMinimum)
    return `- ${field}: must be more than ${error.schema["exclusiveMinimum"]}`;
  return `- ${field}: ${expected(error.schema)}, got ${kindOf(error.value)}`;
}

function unknownField(field: string, fields: readonly string[]): string {
  const near = closest(field, [...fields]);
  const hint = distance(field, near) <= 3 ? `; did you mean ${near}?` : "";
  return `- ${field}: there is no such field${hint} (fields: ${fields.join(", ")})`;
}

function expected(schema: TSchema): string {
  const kind = String(schema[Kind]).toLowerCase();
  return `expected ${kind === "integer" ? "a whole number" : `a ${kind}`}`;
}

/** Characters of a wrong value that a mistake repeats. */
const SHOWN_CHARS = 200;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return value === undefined
    ? "nothing"
    : typeof value === "object"
      ? "an object"
      : `the ${typeof value} ${excerpt(JSON.stringify(value), SHOWN_CHARS)}`;
}
