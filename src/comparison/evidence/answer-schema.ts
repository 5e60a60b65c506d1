import { Ajv, type ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import { canonicalJson } from "../../domain/canonical-json.ts";

/** Why a value does not fit, in the words of the schema alone; null when it fits. */
type AnswerSchema = (value: unknown) => string | null;

/**
 * A JSON Schema of a scenario's author, of draft 2020-12 unless it names an earlier one. What it says of a value takes a time
 * that grows with the value alone: patterns are matched in linear time, and equal items are found by sorting.
 * @throws Error for what is no such schema
 */
export function answerSchema(schema: Readonly<Record<string, unknown>>): AnswerSchema {
  const isEarlier = typeof schema["$schema"] === "string" && schema["$schema"].includes("draft-0");
  const settings = { strict: false, logger: false, code: { regExp: linear }, validateFormats: false } as const;
  const ajv = isEarlier ? new Ajv(settings) : new Ajv2020(settings);
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", validate: isUnique });
  const fits = ajv.compile(schema);
  return (value) => (fits(value) ? null : faultOf(fits.errors?.[0]));
}

/** What Ajv asks of an expression; it tells two of them apart by their texts. The code that it writes out is never used. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: "unused" },
);

const isUnique = (wanted: boolean, items: readonly unknown[]) =>
  !wanted || new Set(items.map((item) => canonicalJson(item))).size === items.length;

/** Where in the value it does not fit is not said: names there are the arm's words. */
const faultOf = (error: ErrorObject | undefined) =>
  `${error?.message ?? "it does not fit"} (${error?.schemaPath ?? "#"})`;
