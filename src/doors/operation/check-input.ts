import type { Static, TSchema } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { Failure } from "../../domain/failure.ts";
import { allowedKeys, explain } from "../../domain/schema-error.ts";

/**
 * The value as the schema's type. Closed schemas refuse unknown fields: a misspelt `judge_model` must not spend money on the
 * default judge.
 * @throws Failure `invalid_request` that names the field.
 */
export function checkInput<Input extends TSchema>(schema: Input, value: unknown): Static<Input> {
  const problem = firstProblem(schema, value);
  if (problem) throw problem;
  return value as Static<Input>; // the schema found no error
}

/** What is wrong with a value from outside; undefined when it fits the schema. */
export function firstProblem(schema: TSchema, value: unknown): Failure | undefined {
  const error = firstError(schema, value);
  if (error === undefined) return undefined;
  const field = fieldOf(error.path);
  return new Failure("invalid_request", inSentence(error, field), field === "" ? {} : { details: { field } });
}

/** An unknown field comes before a missing one: the first is often the second, misspelt. */
function firstError(schema: TSchema, value: unknown): ValueError | undefined {
  let first: ValueError | undefined;
  for (const error of Value.Errors(schema, value)) {
    if (error.type === ValueErrorType.ObjectAdditionalProperties) return error;
    first ??= error;
  }
  return first;
}

/** `/arm_a/session_id` as `arm_a.session_id`. */
const fieldOf = (pointer: string) => pointer.slice(1, 200).replaceAll("/", ".");

function inSentence(error: ValueError, field: string): string {
  const { schema, type } = error;
  const name = field.split(".").at(-1) ?? field;
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return `unknown field ${JSON.stringify(field)}${allowedKeys(name, schema)}`;
  if (type === ValueErrorType.ObjectRequiredProperty) return `${field} is missing${described(schema)}`;
  return `${field === "" ? "" : `${field}: `}${explain(error, name, "json")}`;
}

const described = ({ description }: TSchema) => (description ? ` (${description})` : "");
