import type { TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { MCP_SERVER_NAME } from "./arm.ts";
import { didYouMean } from "./did-you-mean.ts";
import { cut } from "./excerpt.ts";
import { counted } from "./number-text.ts";
import { ModelRef, SLUG_PATTERN, Timestamp } from "./schema.ts";
import { SeriesId, SessionId } from "./session.ts";
import { ArmPointer } from "./verdict.ts";

/** The notation of the value. It decides what objects, fields and null are called. */
type Notation = "yaml" | "json";

/** A list of allowed keys longer than this hides the message it belongs to. */
const MAX_KEYS_SHOWN = 20;

const PATTERNS: ReadonlyMap<unknown, string> = new Map([
  [MCP_SERVER_NAME, 'a name of at most 32 lower case letters, digits and "-", a letter first'],
  [SLUG_PATTERN, 'a name of at most 64 letters, digits, ".", "_" and "-", a letter or digit first'],
  [ModelRef.pattern, "<provider>/<model>"],
  ...[SessionId, ArmPointer.properties.session_id].map(({ pattern }) => [pattern, "the id of a session"] as const),
  [SeriesId.pattern, "the id of a series, series-…, as abeval run prints it and lists of series have it"],
  ["^\\S+$", "text without spaces"],
  [Timestamp("").pattern, "a time in UTC such as 2026-01-02T03:04:05.678Z"],
]);

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ["string", "text"],
  ["number", "a number"],
  ["integer", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
]);

const NUMERALS = ["no", "one", "two", "three", "four", "five"];

/** What is wrong, for somebody who has never seen a schema. `name` is the key or list that holds the value. */
export function explain(error: ValueError, name: string, notation: Notation): string {
  const { schema, value } = error;
  switch (error.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return `unknown ${notation === "yaml" ? "key" : "field"}${allowedKeys(name, schema)}`;
    case ValueErrorType.ObjectRequiredProperty:
      return `missing; expected ${expectation(schema, notation)}`;
    case ValueErrorType.ObjectMinProperties:
    case ValueErrorType.ObjectMaxProperties:
      return `expected ${objectIn(notation)} with ${keyCount(schema)}, found ${Object.keys(value as object).length}`; // the type says it is an object
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
      return `expected ${expectation(schema, notation)}, got ${valueInWords(value, notation)}${nearest(schema, value)}`;
  }
}

function keyCount({ minProperties: least = 0, maxProperties: most }: TSchema): string {
  if (least === most) return least === 1 ? "exactly one key" : `${least} keys`;
  return most === undefined ? `at least ${counted(least, "key")}` : `${least} to ${counted(most, "key")}`;
}

/** The words that follow `unknown field "modle"`: the key that was meant, and the known ones. */
export function allowedKeys(key: string, schema: TSchema): string {
  const allowed = Object.keys(schema["properties"] ?? {});
  const [pattern] = Object.keys(schema["patternProperties"] ?? {});
  if (pattern !== undefined && allowed.length === 0) return `; expected ${PATTERNS.get(pattern) ?? "another"}`;
  const close = didYouMean(key, allowed);
  if (allowed.length > MAX_KEYS_SHOWN) return close;
  return `${close ? `${close} Allowed` : "; allowed"}: ${allowed.join(", ") || "none"}`;
}

/** A value as an error message shows it: short, and as it was written as far as possible. */
export function valueInWords(value: unknown, notation: Notation): string {
  if (value === undefined) return "nothing";
  if (value === null) return notation === "yaml" ? "nothing" : "null";
  if (typeof value === "string") return JSON.stringify(cut(value));
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? objectIn(notation) : String(value);
}

const objectIn = (notation: Notation) => (notation === "yaml" ? "a map" : "an object");

/** The alternatives as one phrase, bounds included: `a whole number from 1 to 40`, `text or a map`. */
function expectation(schema: TSchema, notation: Notation): string {
  const ways = variants(schema);
  const values = literals(schema);
  if (values.length > 0) return alternatives(values);
  if (ways.length > 0) return alternatives([...new Set(ways.map((way) => expectation(way, notation)))]);
  const { pattern, type } = schema;
  if (type === "object") return objectIn(notation);
  if (pattern !== undefined) return PATTERNS.get(pattern) ?? `text that fits ${pattern}`;
  return `${TYPES.get(type) ?? "something else"}${bounds(schema)}`;
}

/** `a`, `a or b`, `a, b or c`. */
function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

/** The ways to write a value; `null` is never recommended. */
const variants = ({ anyOf = [] }: TSchema): TSchema[] => (anyOf as TSchema[]).filter(({ type }) => type !== "null"); // TypeBox types keywords as any

const literals = (schema: TSchema): string[] => {
  const constants = variants(schema).map(({ const: constant }): unknown => constant);
  return constants.every((constant) => typeof constant === "string") ? constants : [];
};

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

const nearest = (schema: TSchema, value: unknown) =>
  typeof value === "string" ? didYouMean(cut(value), literals(schema)) : "";
