import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import Ajv from "ajv";
import { Count, nullable, oneOf, record } from "../../src/domain/schema.ts";
import { outputSchema } from "../../src/mcp/output-schema.ts";
import { TOOLS } from "../../src/mcp/server.ts";
import { linked } from "./linked.ts";

test("fields keep their types; prose, bounds and names go, and what is named twice stands once", () => {
  const Point = record("Point", { x: Count("Across."), unit: nullable(oneOf(["mm", "cm"])) });
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
  const point = { $ref: "#/$defs/Point" };
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
      notes: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
      description: { type: "string", const: "a line" },
    },
    required: ["from", "to", "marks", "notes", "description"],
    $defs: {
      Point: {
        type: "object",
        properties: {
          x: { type: "integer" },
          unit: { anyOf: [{ type: "string", enum: ["mm", "cm"] }, { type: "null" }] },
        },
        required: ["x", "unit"],
      },
    },
  });
});

test("a strict validator compiles each tool's schema, and refuses an empty answer", () => {
  for (const { output } of TOOLS) {
    const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(outputSchema(output));
    expect(validate({})).toBe(false);
  }
});

/** Bytes of all that a client reads about the tools: a model that is given them keeps its memory for the work. */
const MOST_BYTES = 54_000;

test("the list of the tools is small", async () => {
  await using server = await linked();
  const list = await server.client.listTools();
  expect(list.tools).toHaveLength(7);
  expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThan(MOST_BYTES);
});
