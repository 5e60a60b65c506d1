import type { TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { ModelRef, SLUG_PATTERN } from "../../domain/schema.ts";
import { cut } from "../problems.ts";
import { alternatives, didYouMean, inWords } from "./words.ts";

/** A list of allowed keys longer than this hides the message it belongs to. */
const MAX_KEYS_SHOWN = 12;

const PATTERNS: ReadonlyMap<unknown, string> = new Map([
  [SLUG_PATTERN, 'a name of at most 64 letters, digits, ".", "_" and "-", a letter or digit first'],
  [ModelRef.pattern, "<provider>/<model>"],
  ["^\\S+$", "text without spaces"],
]);

const KINDS: ReadonlyMap<unknown, string> = new Map([
  ["string", "text"],
  ["number", "a number"],
  ["integer", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "a map"],
]);

const NUMERALS = ["no", "one", "two", "three", "four", "five"];

/** What is wrong, for somebody who has never seen a schema. `name` is the key or list that holds the value. */
export function explain(error: ValueError, name: string): string {
  const { schema, value } = error;
  switch (error.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return unknownKey(name, schema);
    case ValueErrorType.ObjectRequiredProperty:
      return `missing; expected ${expectation(schema)}`;
    case ValueErrorType.ObjectMinProperties:
    case ValueErrorType.ObjectMaxProperties:
      return `expected a map with exactly one key, found ${Object.keys(value as object).length}`; // the type says it is an object
    case ValueErrorType.ArrayMinItems:
    case ValueErrorType.ArrayMaxItems:
      return wrongCount(schema, (value as unknown[]).length, name); // the type says it is an array
    case ValueErrorType.ArrayUniqueItems:
      return "the same entry is given twice";
    case ValueErrorType.StringMaxLength:
      return `expected at most ${schema["maxLength"]} characters, got ${String(value).length}`;
    case ValueErrorType.StringMinLength:
      return "must not be empty";
    default:
      return `expected ${expectation(schema)}, got ${inWords(value)}${suggestion(schema, value)}`;
  }
}

/** The alternatives as one phrase, bounds included: `a whole number from 1 to 40`, `text or a map`. */
function expectation(schema: TSchema): string {
  const ways = variants(schema);
  const values = literals(schema);
  if (values.length > 0) return alternatives(values);
  if (ways.length > 0) return alternatives([...new Set(ways.map(expectation))]);
  const { pattern, type } = schema;
  return PATTERNS.get(pattern) ?? `${KINDS.get(type) ?? "something else"}${bounds(schema)}`;
}

/** The ways to write a value; `null` is never recommended. */
const variants = ({ anyOf = [] }: TSchema): TSchema[] => (anyOf as TSchema[]).filter(({ type }) => type !== "null"); // TypeBox types keywords as any

const literals = (schema: TSchema): string[] => {
  const constants = variants(schema).map(({ const: constant }): unknown => constant);
  return constants.every((constant) => typeof constant === "string") ? constants : [];
};

function unknownKey(key: string, schema: TSchema): string {
  const [pattern] = Object.keys(schema["patternProperties"] ?? {});
  if (pattern !== undefined) return `unknown key; expected ${PATTERNS.get(pattern) ?? "another"}`;
  const allowed = Object.keys(schema["properties"] ?? {});
  const close = didYouMean(key, allowed);
  const list = allowed.length <= MAX_KEYS_SHOWN ? `${close ? " Allowed" : "; allowed"}: ${allowed.join(", ")}` : "";
  return `unknown key${close}${list}`;
}

function wrongCount(schema: TSchema, found: number, name: string): string {
  const { minItems, maxItems } = schema;
  const least = NUMERALS[minItems] ?? String(minItems);
  if (minItems === maxItems) return `expected exactly ${least} ${name}, found ${found}`;
  return found < minItems
    ? `expected at least ${least}, found ${found === 0 ? "none" : found}`
    : `expected at most ${maxItems}, found ${found}`;
}

function bounds({ exclusiveMinimum, minimum, maximum }: TSchema): string {
  const above = exclusiveMinimum === undefined ? "" : ` above ${exclusiveMinimum}`;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  const least = minimum === undefined ? above : ` of at least ${minimum}`;
  if (maximum === undefined) return least;
  return least === "" ? ` of at most ${maximum}` : `${least}, at most ${maximum}`;
}

const suggestion = (schema: TSchema, value: unknown) =>
  typeof value === "string" ? didYouMean(cut(value), literals(schema)) : "";
