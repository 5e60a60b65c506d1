import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { nullable, oneOf, record } from "../../src/domain/schema.ts";
import { inlineObject, TOOLS } from "../../src/doors/mcp/server.ts";

test("names of schemas are removed at every depth, and their contents stay", () => {
  const Inner = record("Inner", { anyOf: Type.String(), $id: Type.String() });
  const Outer = record("Outer", { first: Inner, rest: Type.Array(Inner), maybe: nullable(Inner) });
  const inner = {
    type: "object",
    required: ["anyOf", "$id"],
    properties: { anyOf: { type: "string" }, $id: { type: "string" } },
    additionalProperties: false,
  };
  expect(JSON.parse(JSON.stringify(inlineObject(Outer)))).toEqual({
    type: "object",
    required: ["first", "rest", "maybe"],
    properties: {
      first: inner,
      rest: { type: "array", items: inner },
      maybe: { anyOf: [inner, { type: "null" }] },
    },
    additionalProperties: false,
  });
});

test("a choice of words is an enum with its description", () => {
  const Choice = record("Choice", { size: oneOf(["small", "large"], { description: "How big." }) });
  expect(inlineObject(Choice)["properties"]).toEqual({
    size: { type: "string", enum: ["small", "large"], description: "How big." },
  });
});

test("every argument of a tool says what it is", () => {
  const undescribed = TOOLS.flatMap(({ name, input }) =>
    Object.entries(input.properties).flatMap(([field, { description }]) => (description ? [] : [`${name}.${field}`])),
  );
  expect(undescribed).toEqual([]);
});

test("only the schema of an object can be a tool's schema", () => {
  expect(() => inlineObject(Type.Array(Type.String(), { $id: "List" }))).toThrow("List is not that of an object");
});

test("the input schema of a tool has no name and no reference, which some providers refuse", () => {
  const published = TOOLS.map(({ input }) => inlineObject(input));
  expect(JSON.stringify(published)).not.toMatch(/"\$(id|ref)":"/);
});
