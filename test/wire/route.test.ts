import { expect, test } from "bun:test";
import { routeOf } from "../../src/arms/wire/route.ts";

test("every address that the wires have is known, with its query", () => {
  const routes = [
    ["POST", "/anthropic/v1/messages?beta=true"],
    ["POST", "/anthropic/v1/messages/count_tokens"],
    ["GET", "/anthropic/v1/models?limit=1000"],
    ["HEAD", "/anthropic"],
    ["POST", "/openai/v1/chat/completions"],
    ["POST", "/openai/v1/responses"],
    ["POST", "/openai/v1/responses/input_tokens"],
    ["GET", "/openai/v1/models/qwen/qwen3-coder"],
    ["HEAD", "/openai/v1/"],
    ["POST", "/google/v1beta/models/gemini-2.5-pro:generateContent"],
    ["POST", "/google/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
    ["POST", "/google/v1beta/models/gemini-2.5-pro:countTokens"],
    ["GET", "/google/v1beta/models"],
    ["HEAD", "/google"],
  ] as const;
  expect(routes.map(([method, path]) => routeOf(method, path))).toEqual([
    { wire: "anthropic", kind: "reply", path: "/v1/messages?beta=true" },
    { wire: "anthropic", kind: "count", path: "/v1/messages/count_tokens" },
    { wire: "anthropic", kind: "models", path: "/v1/models?limit=1000" },
    { wire: "anthropic", kind: "head", path: "" },
    { wire: "chat", kind: "reply", path: "/chat/completions" },
    { wire: "responses", kind: "reply", path: "/responses" },
    { wire: "responses", kind: "count", path: "/responses/input_tokens" },
    { wire: "chat", kind: "models", path: "/models/qwen/qwen3-coder" },
    { wire: "chat", kind: "head", path: "/" },
    { wire: "gemini", kind: "reply", path: "/v1beta/models/gemini-2.5-pro:generateContent" },
    { wire: "gemini", kind: "reply", path: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse" },
    { wire: "gemini", kind: "count", path: "/v1beta/models/gemini-2.5-pro:countTokens" },
    { wire: "gemini", kind: "models", path: "/v1beta/models" },
    { wire: "gemini", kind: "head", path: "" },
  ]);
});

test("of a query goes on what is no key, and to Gemini what neither hides usage nor changes the form of a reply", () => {
  const gemini = (query: string) => routeOf("POST", `/google/v1beta/models/m:streamGenerateContent?${query}`)?.path;
  const rest = "/v1beta/models/m:streamGenerateContent";
  expect(gemini("alt=sse&key=token")).toBe(`${rest}?alt=sse`);
  for (const query of ["fields=candidates", "field%73=candidates", "$fields=candidates", "alt=proto", "%61lt=proto"])
    expect(gemini(query)).toBe(rest);
  expect(gemini("alt=sse&callback=f&quotaUser=me&access_token=mine&a?b")).toBe(`${rest}?alt=sse`);
  expect(routeOf("GET", "/google/v1beta/models?pageSize=50&pageToken=a_b%3D")?.path).toBe(
    "/v1beta/models?pageSize=50&pageToken=a_b%3D",
  );
  expect(routeOf("POST", "/anthropic/v1/messages?beta=true&k%65y=token")?.path).toBe("/v1/messages?beta=true");
  expect(routeOf("POST", "/openai/v1/responses?key=token&")?.path).toBe("/responses");
  const openai = (query: string) => routeOf("GET", `/openai/v1/models?${query}`)?.path;
  expect(openai("api-version=2026-01-01&after=gpt-5:x@y")).toBe("/models?api-version=2026-01-01&after=gpt-5:x@y");
  for (const query of ["a=%0d%0ab", "a=b;key=c", "a=../..", "a=%c0%af", "KEY=token", "a?b=c", "a=b#c", "k+ey=1", "a"])
    expect(openai(query)).toBe("/models");
});

test("everything else is no address of a wire", () => {
  const strays = [
    ["GET", "/anthropic/v1/messages"],
    ["POST", "/anthropic/v1/files"],
    ["POST", "/anthropic/v1/messages/batches"],
    ["POST", "/openai/v1/files"],
    ["POST", "/openai/v1/responses/../files"],
    ["POST", "/google/v1beta/models/a/b:generateContent"],
    ["GET", "/openai/v1/models/../../admin"],
    ["GET", "/openai/v1/models/.%2E/admin"],
    ["GET", "/openai/v1/models/a%2F..%2F..%2Fadmin"],
    ["POST", "/google/v1beta/models/a%2f%2E%2e%2ffiles:generateContent"],
    ["POST", "/google/v1beta/models/a%252F..%255Cfiles:generateContent"],
    ["POST", "/google/v1beta/models/..:generateContent"],
    ["POST", "/v1/messages"],
    ["HEAD", "/"],
    ["GET", "/openai/v1/models/..;/admin"],
    ["GET", "/openai/v1/models/...;a"],
    ["GET", "/openai/v1/models/%c0%ae%c0%ae%c0%afadmin"],
    ["GET", "/openai/v1/models/%u002e%u002e/admin"],
    ["GET", "/openai/v1/models/a%00/admin"],
    ["GET", "/openai/v1/models/a%0d%0aX-Other:1"],
    ["GET", "/anthropic/v1/models/a\\..\\b"],
    ["GET", "/anthropic/v1/models/a;b"],
    ["GET", "/google/v1beta/models/a%20b"],
    ["GET", "/openai/v1/models/．．/admin"],
    ["GET", "/openai/v1/models/./admin"],
  ] as const;
  expect(strays.filter(([method, path]) => routeOf(method, path) !== null)).toEqual([]);
});

test("what only a provider could have kept has addresses that are known", () => {
  const stored = [
    ["GET", "/openai/v1/responses/resp_1"],
    ["GET", "/openai/v1/responses/resp_1/input_items"],
    ["POST", "/openai/v1/conversations"],
    ["POST", "/openai/v1/conversations/conv_1/items"],
    ["POST", "/google/v1beta/cachedContents"],
  ] as const;
  expect(stored.map(([method, path]) => routeOf(method, path)?.kind)).toEqual(stored.map(() => "stored"));
  expect(routeOf("POST", "/openai/v1/responses/resp_1/cancel")).toBeNull();
});
