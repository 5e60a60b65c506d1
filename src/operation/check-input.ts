import type { Static, TSchema } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { Failure } from "../domain/failure.ts";
import { alternatives, didYouMean, inWords } from "../scenario/document/words.ts";

/**
 * What came in through a door, as what the schema says it is. Closed schemas refuse unknown fields: a misspelt
 * `judge_model` must not spend money on the default judge.
 * @throws Failure `invalid_request` that names the field.
 */
export function checkInput<Input extends TSchema>(schema: Input, value: unknown): Static<Input> {
  const problem = firstProblem(schema, value);
  if (problem === undefined) return value as Static<Input>; // the schema has no error to name
  const field = fieldOf(problem.path);
  throw new Failure("invalid_request", inSentence(problem, field), field === "" ? {} : { details: { field } });
}

/** A misspelt field explains the missing one, so it is told first. */
function firstProblem(schema: TSchema, value: unknown): ValueError | undefined {
  let first: ValueError | undefined;
  for (const problem of Value.Errors(schema, value)) {
    if (problem.type === ValueErrorType.ObjectAdditionalProperties) return problem;
    first ??= problem;
  }
  return first;
}

/** `/arm_a/session_id` as `arm_a.session_id`. */
const fieldOf = (pointer: string) => pointer.slice(1, 200).replaceAll("/", ".");

function inSentence(problem: ValueError, field: string): string {
  const { schema, value, type } = problem;
  if (type === ValueErrorType.ObjectAdditionalProperties) return unknownField(field, schema);
  if (type === ValueErrorType.ObjectRequiredProperty) return `${field} is missing${described(schema)}`;
  const where = field === "" ? "" : `${field}: `;
  if (type === ValueErrorType.StringMaxLength)
    return `${where}expected at most ${schema["maxLength"]} characters, got ${String(value).length}`;
  return `${where}expected ${expectation(schema)}, got ${inWords(value)}`;
}

function unknownField(field: string, schema: TSchema): string {
  const known = Object.keys((schema["properties"] ?? {}) as object); // a closed object's schema has properties
  const name = field.split(".").at(-1) ?? field;
  const hint = didYouMean(name, known) || (known.length > 0 ? `; known: ${known.join(", ")}` : "; none is known here");
  return `unknown field ${JSON.stringify(field)}${hint}`;
}

const described = ({ description }: TSchema) => (description ? ` (${description})` : "");

function expectation(schema: TSchema): string {
  const choices = ((schema["anyOf"] ?? []) as TSchema[]).map((choice) => choice["const"]); // how TypeBox writes a union
  if (choices.length > 0 && choices.every((choice) => typeof choice === "string")) return alternatives(choices);
  if (schema["type"] === "object") return "an object";
  if (schema["type"] === "integer") return `an integer${range(schema)}`;
  if (schema["type"] === "string") return text(schema);
  return `${schema["type"] ?? "another value"}`;
}

/** `<provider>/<model>` where the description shows the form, else the pattern itself. */
function text({ pattern, description }: TSchema): string {
  if (pattern === undefined) return "text";
  const [, form] = /`([^`]+)`/.exec(description ?? "") ?? [];
  return form ?? `text that fits ${pattern}`;
}

function range({ minimum, maximum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  return minimum === undefined ? "" : ` of at least ${minimum}`;
}
