import { _, Ajv, type CodeKeywordDefinition, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { wordsOf } from "../../domain/failure.ts";
import { OverLimit, Steps } from "../../runtime/bounded.ts";
import { compilePattern } from "../../runtime/pattern.ts";
import type { JsonSchema, SchemaFinding } from "./answer-schema.ts";

// Works of a child: Ajv compiles a schema for longer than others may wait.

/** Keywords and their entries that are compiled for one scenario: 1.5 s of CPU at worst. */
const MOST_PARTS = 2_000;

/** Entries of a part that is compiled anew wherever it is referred to. */
const SHORT = 20;

/** Keywords that are asked and what each looks at, and the instructions of a pattern times characters: 1.5 s of CPU at worst. */
const MOST_STEPS = 50_000_000;

/** The work of `fitAnswer`. @throws OverLimit */
export function fitHere({ schema, value }: { readonly schema: JsonSchema; readonly value: unknown }): SchemaFinding {
  try {
    const fits = compileCounted(schema, {
      parts: new Steps(MOST_PARTS, "keywords and entries"),
      steps: new Steps(MOST_STEPS),
      check: false,
    });
    return fits(value) ? { fits: true } : { fault: faultOf(fits.errors?.[0]) };
  } catch (error) {
    if (error instanceof OverLimit || error instanceof RangeError) throw error;
    return { unusable: firstWords(error) };
  }
}

/** The work of `checkSchemas`. */
export function checkSchemasHere(schemas: readonly JsonSchema[]): readonly (string | null)[] {
  const parts = new Steps(MOST_PARTS, "keywords and entries");
  return schemas.map((schema) => {
    try {
      const fits = compileCounted(schema, { parts, steps: new Steps(MOST_STEPS), check: true });
      // One that refers to itself without an end shows it here.
      for (const value of [null, true, 0, "", [], {}]) fits(value);
      return null;
    } catch (error) {
      return error instanceof OverLimit ? `it ${error.message}` : firstWords(error);
    }
  });
}

/** The validator throws plain errors, all of them about the schema. What follows the first comma repeats it. */
const firstWords = (error: unknown) => wordsOf(error).split(", ")[0] ?? "";

/** Where in the value it does not fit is not said: names there are the arm's words. */
const faultOf = (error: ErrorObject | undefined) =>
  `${error?.message ?? "it does not fit"} (${error?.schemaPath ?? "#"})`;

interface Counting {
  readonly parts: Steps;
  readonly steps: Steps;
  /** The schema is checked against the schema of schemas. */
  readonly check: boolean;
}

/** A schema as a function that counts what it does, and asks no part of it twice of one value. @throws Error, OverLimit */
function compileCounted(schema: JsonSchema, counting: Counting): ValidateFunction {
  if (schema["$async"] !== undefined) throw new Error("$async is not used here");
  const { check, steps } = counting;
  const settings = {
    ...{ strict: false, logger: false as const, validateFormats: false, validateSchema: check, inlineRefs: SHORT },
    code: { regExp: countedPattern(steps), process: wrapInAskOnce },
  };
  const isEarlier = typeof schema["$schema"] === "string" && schema["$schema"].includes("draft-0");
  const ajv = isEarlier ? new Ajv(settings) : new Ajv2020(settings);
  const isStatic = !/"\$(dynamic|recursive)Ref"/.test(JSON.stringify(schema));
  Object.assign(ajv, { askOnce: onceAsker(isStatic) });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", validate: uniqueness(steps) });
  for (const rule of Object.values(ajv.RULES.all))
    if (typeof rule === "object" && "code" in rule.definition) count(rule.definition, counting);
  return ajv.compile(schema);
}

/** Pattern matching takes linear time. Ajv tells two of them apart by their texts; the code that it writes out is never used. */
const countedPattern = (steps: Steps) =>
  Object.assign(
    (pattern: string) => {
      const compiled = compilePattern(pattern);
      const test = (text: string) => {
        steps.take(compiled.programSize() * (text.length + 1));
        return compiled.matcher(text).find();
      };
      return { test, toString: () => pattern };
    },
    { code: "unused" },
  );

/** Equal items are found by their texts, and not by comparing each with each. */
const uniqueness = (steps: Steps) => (wanted: boolean, items: readonly unknown[]) => {
  if (!wanted) return true;
  const texts = items.map((item) => canonicalJson(item));
  steps.take(texts.reduce((chars, text) => chars + text.length, 0));
  return new Set(texts).size === texts.length;
};

/** Keywords that look at every entry of a value, or at every character. */
const LOOPS: ReadonlySet<string> = new Set([
  ...["additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties", "minProperties"],
  ...["maxProperties", "items", "additionalItems", "contains", "unevaluatedItems", "minLength", "maxLength"],
]);

/** Keywords whose entries are compiled as one. */
const FLAT: ReadonlySet<string> = new Set(["enum", "const", "required", "pattern"]);

/** Lets a keyword count itself when it is compiled, and wherever it is asked. */
function count(definition: CodeKeywordDefinition, { parts, steps }: Counting): void {
  const { code } = definition;
  const take = (entries: number, data: unknown) => steps.take(entries + sizeOf(data));
  definition.code = (cxt, ruleType) => {
    const { gen, keyword, schema, data, it } = cxt;
    if (!it.schemaEnv.root.meta) parts.take(1 + (FLAT.has(keyword) ? 0 : sizeOf(schema)));
    const counter = gen.scopeValue("func", { ref: take });
    gen.code(_`${counter}(${entriesOf(keyword, schema)}, ${LOOPS.has(keyword) ? data : 0})`);
    code(cxt, ruleType);
  };
}

function sizeOf(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** What a keyword has to look at, whatever the value. */
const entriesOf = (keyword: string, schema: unknown): number =>
  1 + (keyword === "enum" || keyword === "const" ? JSON.stringify(schema).length : sizeOf(schema));

/** References that lead on from one another. Each needs room on the stack. */
const MOST_REFERENCES = 1_000;

/** What a part of a schema said of a value. */
interface Said {
  readonly fits: boolean;
  /** The first of its errors: with all of them, those of two parts would be twice as many at each level. */
  readonly error: ErrorObject | undefined;
  readonly props: NonNullable<ValidateFunction["evaluated"]>["props"];
  readonly items: NonNullable<ValidateFunction["evaluated"]>["items"];
}

/** Puts what Ajv writes for a part that others refer to into a call of `self.askOnce`, where Ajv's instance holds an `onceAsker`. */
function wrapInAskOnce(code: string): string {
  const [header, name] = /\breturn function (validate\d+)\(/.exec(code) ?? [];
  if (header === undefined) return code;
  return `${code.replace(header, `const ${name} = self.askOnce(function (`)}); return ${name};`;
}

/**
 * Lets each part that others refer to be asked once of each list and object. Else a schema that tries two references at each level
 * would take twice as long for each level.
 * @param remembers false where what a part says depends on who asks
 */
function onceAsker(remembers: boolean): (ask: ValidateFunction) => ValidateFunction {
  let depth = 0;
  return (ask) => {
    const answers = new WeakMap<object, Said>();
    const askAnew = (data: unknown, context: Parameters<ValidateFunction>[1]): Said => {
      if (depth === MOST_REFERENCES)
        throw new OverLimit(`follows more than ${MOST_REFERENCES.toLocaleString("en")} references, one from another`);
      depth += 1;
      const fits = ask(data, context);
      depth -= 1;
      const { props, items } = once.evaluated ?? {};
      return { fits, error: once.errors?.[0], props, items };
    };
    // Ajv itself adds the other properties of such a function.
    const once = ((data: unknown, context: Parameters<ValidateFunction>[1]) => {
      const isTree = typeof data === "object" && data !== null;
      const said = (isTree && answers.get(data)) || askAnew(data, context);
      if (isTree && remembers) answers.set(data, said);
      return repeat(once, said);
    }) as ValidateFunction;
    return once;
  };
}

/** Who hears it may write into it. */
function repeat(once: ValidateFunction, { fits, error, props, items }: Said): boolean {
  once.errors = error === undefined ? null : [error];
  if (once.evaluated?.dynamicProps)
    Object.assign(once.evaluated, { props: typeof props === "object" ? { ...props } : props });
  if (once.evaluated?.dynamicItems) Object.assign(once.evaluated, { items });
  return fits;
}
