import { expect, test } from "bun:test";
import { type TObject, Type } from "@sinclair/typebox";
import Ajv from "ajv";
import { Count, nullable, oneOf, record } from "../../src/domain/schema.ts";
import { outputSchema } from "../../src/doors/mcp/output-schema.ts";
import { TOOLS } from "../../src/doors/mcp/server.ts";
import { linked } from "./linked.ts";

test("fields keep their types; prose, bounds and names go, and what is repeated stands once", () => {
  const Point = record("Point", { x: Count("Across."), y: Count("Up."), unit: nullable(oneOf(["mm", "cm"])) });
  const Line = record(
    "Line",
    {
      from: Point,
      to: nullable(Point),
      title: Type.Optional(nullable(Type.String({ pattern: "^a" }), { description: "Words." })),
      marks: Type.Array(record("Mark", { at: Type.Number() })),
      style: nullable(record("Style", { from: Type.Object({ hue: Type.Integer(), light: Type.Integer() }) })),
      notes: Type.Record(Type.String(), Type.Array(Type.String())),
      description: Type.Literal("a line"),
    },
    { description: "From here to there." },
  );
  const point = { $ref: "#/$defs/from" };
  const colour = { hue: { type: "integer" }, light: { type: "integer" } };
  expect<unknown>(outputSchema(Line)).toEqual({
    type: "object",
    properties: {
      from: point,
      to: { anyOf: [point, { type: "null" }] },
      title: { type: ["string", "null"] },
      marks: {
        type: "array",
        items: { type: "object", properties: { at: { type: "number" } }, required: ["at"] },
      },
      style: {
        type: ["object", "null"],
        properties: { from: { type: "object", properties: colour, required: ["hue", "light"] } },
        required: ["from"],
      },
      notes: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
      description: { const: "a line" },
    },
    required: ["from", "to", "marks", "style", "notes", "description"],
    $defs: {
      from: {
        type: "object",
        properties: { x: { type: "integer" }, y: { type: "integer" }, unit: { enum: ["mm", "cm", null] } },
        required: ["x", "y", "unit"],
      },
    },
  });
});

test("different shapes of one field are shared under different names", () => {
  const One = record("One", { left: Type.Integer(), right: Type.Integer() });
  const Other = record("Other", { above: Type.Integer(), below: Type.Integer() });
  const pair = (name: string, of: TObject) => record(name, { at: of, again: of });
  const shapeOf = (...names: readonly string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "integer" }])),
    required: names,
  });
  const Both = record("Both", { first: pair("First", One), second: pair("Second", Other) });
  expect(outputSchema(Both)["$defs"]).toEqual({ at: shapeOf("left", "right"), at2: shapeOf("above", "below") });
});

test("few words are a list, many are strings: a later version may add to them", () => {
  const many = Array.from({ length: 20 }, (_, number) => `word_${number}`);
  expect(outputSchema(record("Words", { few: oneOf(["a", "b"]), many: oneOf(many) }))["properties"]).toEqual({
    few: { enum: ["a", "b"] },
    many: { type: "string" },
  });
});

test("a strict validator compiles each tool's schema, and refuses an empty answer", () => {
  for (const { output } of TOOLS) {
    const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(outputSchema(output));
    expect(validate({})).toBe(false);
  }
});

/** Bytes of all that a client reads about the tools: a model that is given them keeps its memory for the work. */
const MOST_BYTES = 44_000;

test("the list of the tools is small", async () => {
  await using server = await linked();
  const list = await server.client.listTools();
  expect(list.tools).toHaveLength(7);
  expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThan(MOST_BYTES);
});
