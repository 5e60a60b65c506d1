import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { JsonSchema } from "../../src/comparison/evidence/answer-schema.ts";
import { checkSchemasHere, fitHere } from "../../src/comparison/evidence/counted-schema.ts";

const fit = (schema: JsonSchema, value: unknown) => fitHere({ schema, value });

const kind = (name: string) => ({
  type: "object",
  required: ["kind"],
  properties: { child: { $ref: "#/$defs/node" }, kind: { const: name } },
});

/** A tree of two kinds of nodes, as honest authors write it: which of them it is stands behind the child. */
const TREE = {
  $defs: {
    node: { oneOf: [{ $ref: "#/$defs/text" }, { $ref: "#/$defs/list" }] },
    text: kind("text"),
    list: kind("list"),
  },
  $ref: "#/$defs/node",
};

const nested = (levels: number, last: string): unknown =>
  Array.from({ length: levels }).reduce<unknown>((child) => ({ child, kind: "list" }), { kind: last });

test("a schema that tries two references at each level is asked once of each object", () => {
  expect(fit(TREE, nested(60, "text"))).toEqual({ fits: true });
  expect(fit(TREE, nested(60, "table"))).toEqual({ fault: "must be equal to constant (#/properties/kind/const)" });
});

test("what takes too many steps is over, and the same each time", () => {
  const over = "takes more than 50,000,000 steps";
  const texts = Array.from({ length: 200 }, () => "x");
  expect(() => fit({ items: { anyOf: [{ const: "x".repeat(500_000) }, {}] } }, texts)).toThrow(over);
  expect(() => fit({ items: { pattern: "^(a|b|ab){0,300}c$" } }, ["ab".repeat(90_000)])).toThrow(over);
});

test("a scenario with more keywords in its schemas than are compiled is told so", () => {
  const anyOf = Array.from({ length: 1_001 }, (_, at) => ({ const: at }));
  const over = "it takes more than 2,000 keywords and entries";
  expect(checkSchemasHere([{ enum: anyOf }, { anyOf }])).toEqual([null, over]);
});

test("a schema that refers to itself without an end is none that can be used", () => {
  const endless = { $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { anyOf: [{ $ref: "#/$defs/a" }] } } };
  expect(checkSchemasHere([{ $ref: "#" }, { ...endless, $ref: "#/$defs/a" }, TREE])).toEqual([
    "it follows more than 1,000 references, one from another",
    "it follows more than 1,000 references, one from another",
    null,
  ]);
});

test("a schema that cannot be used is told in the validator's words, and never answers later", () => {
  expect(checkSchemasHere([{ type: "text" }, { $ref: "#/$defs/gone" }, { $async: true }, { pattern: "(" }])).toEqual([
    "schema is invalid: data/type must be equal to one of the allowed values",
    "can't resolve reference #/$defs/gone from id #",
    "$async is not used here",
    "error parsing regexp: missing closing ): `(`",
  ]);
  expect(fit({ $async: true }, 1)).toEqual({ unusable: "$async is not used here" });
});

/** Schemas of a few definitions that refer to each other, and values that they may fit. */
const name = fc.constantFrom("a", "b", "c");
const ref = name.map((to) => ({ $ref: `#/$defs/${to}` }));
const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonSchema>({ type: "string" }, { type: "number", minimum: 2 }, { const: "x" }, {}),
    fc.record({ properties: fc.dictionary(name, fc.oneof(ref, tie("schema")), { maxKeys: 2 }) }),
    fc.record({ items: fc.oneof(ref, tie("schema")), uniqueItems: fc.boolean() }),
    fc.record({ type: fc.constant("object"), additionalProperties: fc.oneof(ref, tie("schema")) }),
    ...["oneOf", "anyOf", "allOf"].map((kind) =>
      fc.array(fc.oneof(nestedRef(), tie("schema")), { minLength: 1, maxLength: 3 }).map((all) => ({ [kind]: all })),
    ),
    fc.record({ not: tie("schema") }),
    fc.record({
      allOf: fc.array(nestedRef(), { minLength: 1, maxLength: 2 }),
      unevaluatedProperties: fc.boolean(),
    }),
  ),
}));

/** A reference that needs a part of the value, so that none goes on without an end. */
function nestedRef() {
  return fc.record({ properties: fc.dictionary(name, ref, { minKeys: 1, maxKeys: 2 }) });
}

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("x", "y", 1, 3, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const said = (schema: JsonSchema, value: unknown) => {
  const fits = new Ajv2020({ strict: false, logger: false, validateSchema: false }).compile(schema);
  if (fits(value)) return { fits: true };
  const { message, schemaPath } = fits.errors?.[0] ?? {};
  return { fault: `${message} (${schemaPath})` };
};

test("counting and remembering change nothing of what Ajv says", () => {
  const both = fc.record({ $defs: fc.record({ a: schema, b: schema, c: schema }), allOf: fc.array(schema) });
  const equalItems = /must NOT have duplicate items/;
  fc.assert(
    fc.property(both, value, (given, one) => {
      const expected = JSON.stringify(said(given, one));
      // Equal items are told in other words.
      if (equalItems.test(expected)) expect(fit(given, one)).toHaveProperty("fault");
      else expect(JSON.stringify(fit(given, one))).toBe(expected);
    }),
    { numRuns: 15 },
  );
});
