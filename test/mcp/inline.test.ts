import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { nullable, oneOf, record } from "../../src/domain/schema.ts";
import { inlineObject } from "../../src/mcp/inline.ts";
import { TOOLS } from "../../src/mcp/toolbox.ts";

test("names go, at every depth, and what they named stays", () => {
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

test("what is no object cannot be a tool's schema", () => {
  expect(() => inlineObject(Type.Array(Type.String(), { $id: "List" }))).toThrow("List is not that of an object");
});

test("what a tool asks for holds no name and no reference, which some models' providers refuse", () => {
  const published = TOOLS.map(({ input }) => inlineObject(input));
  expect(JSON.stringify(published)).not.toMatch(/"\$(id|ref)":"/);
});
