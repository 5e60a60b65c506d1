import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import Ajv from "ajv";
import { Count, nullable, oneOf, record } from "../../src/domain/schema.ts";
import { outputSchema, TOOLS } from "../../src/doors/mcp/server.ts";
import { linked } from "./linked.ts";

test("fields keep their types; prose, bounds and names go", () => {
  const Point = record("Point", { x: Count("Across."), y: Count("Up."), unit: nullable(oneOf(["mm", "cm"])) });
  const Line = record(
    "Line",
    {
      from: Point,
      to: nullable(Point),
      title: Type.Optional(nullable(Type.String({ pattern: "^a" }), { description: "Words." })),
      marks: Type.Array(record("Mark", { at: Type.Number() })),
      notes: Type.Record(Type.String(), Type.Array(Type.String())),
      description: Type.Literal("a line"),
    },
    { description: "From here to there." },
  );
  const whole = { type: "integer" };
  const required = ["x", "y", "unit"];
  const point = { properties: { x: whole, y: whole, unit: { enum: ["mm", "cm", null] } }, required };
  expect<unknown>(outputSchema(Line)).toEqual({
    type: "object",
    properties: {
      from: { type: "object", ...point },
      to: { type: ["object", "null"], ...point },
      title: { type: ["string", "null"] },
      marks: {
        type: "array",
        items: { type: "object", properties: { at: { type: "number" } }, required: ["at"] },
      },
      notes: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
      description: { const: "a line" },
    },
    required: ["from", "to", "marks", "notes", "description"],
  });
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
const MOST_BYTES = 47_000;

test("the list of the tools is small", async () => {
  await using server = await linked();
  const list = await server.client.listTools();
  expect(list.tools).toHaveLength(7);
  expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThan(MOST_BYTES);
});
