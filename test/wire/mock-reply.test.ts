import { expect, test } from "bun:test";
import { harmlessCall, mockReply } from "../../src/arms/agent/mock-upstream.ts";
import { errorBody } from "../../src/arms/wire/route.ts";
import { WIRES } from "../../src/domain/external-agent.ts";
import { pass } from "./streams.ts";

test.each(WIRES)("%s: a text said once is a whole reply, streamed or not", (wire) => {
  for (const stream of [true, false]) {
    const { content_type, body } = mockReply(wire, { model: "m-1", stream }, { text: 'done: "ü"\n' });
    expect(content_type).toBe(stream ? "text/event-stream" : "application/json");
    expect(pass(wire, body, { content_type }).reply).toMatchObject({
      ...{ text: 'done: "ü"\n', calls: [], tokens_in: 1, tokens_out: 1, model_served: "m-1" },
      ...{ ended: "whole", error: null },
    });
  }
});

test.each(WIRES)("%s: a call made once is a whole reply, streamed or not", (wire) => {
  const call = { name: "shell", input: { command: 'echo "ü"' } };
  for (const stream of [true, false]) {
    const { content_type, body } = mockReply(wire, { model: "m-1", stream }, { call });
    expect(pass(wire, body, { content_type }).reply).toMatchObject({
      ...{ text: "", calls: [call], tokens_in: 1, tokens_out: 1, ended: "whole", error: null },
    });
  }
});

test("a call that harms nobody is found among the tools of every wire, with what it must have", () => {
  const properties = { command: { type: "string" }, why: { type: "string" }, wait: { type: "boolean" } };
  const schema = { type: "object", properties, required: ["command", "wait"] };
  const input = { command: "true", wait: false };
  const other = { name: "other", input_schema: { properties: { path: {} } } };
  expect(harmlessCall({ tools: [other, { name: "a", input_schema: schema }] })).toEqual({ name: "a", input });
  expect(harmlessCall({ tools: [{ type: "function", name: "b", parameters: schema }] })).toEqual({ name: "b", input });
  expect(harmlessCall({ tools: [{ function: { name: "c", parameters: schema } }] })).toEqual({ name: "c", input });
  const declared = { name: "d", parametersJsonSchema: { properties: { cmd: { type: "ARRAY" } } } };
  expect(harmlessCall({ tools: [{ functionDeclarations: [declared] }] })).toEqual({
    name: "d",
    input: { cmd: ["true"] },
  });
  for (const tools of [undefined, [other], [null, 7, { name: "x", parameters: { properties: [] } }]])
    expect(harmlessCall({ tools })).toBeUndefined();
});

test.each(WIRES)("%s: an error is one that a client of the wire reads", (wire) => {
  const body = JSON.stringify(errorBody(wire, 400, "The budget is used up."));
  expect(pass(wire, body, { content_type: "application/json" }).reply).toMatchObject({
    ...{ ended: "error", error: "The budget is used up.", text: "", calls: [], tokens_in: null, tokens_out: null },
  });
});

test("an error says its kind in the words of its wire", () => {
  expect(errorBody("anthropic", 429, "x")).toEqual({
    type: "error",
    error: { type: "rate_limit_error", message: "x" },
  });
  expect(errorBody("anthropic", 502, "x")).toMatchObject({ error: { type: "api_error" } });
  expect(errorBody("responses", 503, "x")).toMatchObject({ error: { type: "server_error" } });
  expect(errorBody("gemini", 404, "x")).toEqual({ error: { code: 404, message: "x", status: "NOT_FOUND" } });
});
