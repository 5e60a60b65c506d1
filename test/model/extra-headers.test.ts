import { expect, test } from "bun:test";
import { readExtraHeaders, revealed } from "../../src/arms/model/provider/extra-headers.ts";

test.each([
  ["an object", '{"X-Route": "team-a", "x-key": "a: b"}'],
  ["lines", "X-Route: team-a\n\n  x-key :  a: b \r\n"],
])("headers are read from %s", (_, text) => {
  const extra = readExtraHeaders(text.trim());
  expect(revealed(extra)).toEqual({ "x-route": "team-a", "x-key": "a: b" });
  expect(extra.problem).toBeNull();
});

const SECRET = "canary-0123456789";

test.each([
  [`{"x-key": "${SECRET}"`, 'not JSON: expected {"name": "value"}, or lines of `name: value`'],
  [`x-route: a\n${SECRET}`, "line 2: expected `name: value`"],
  [`${SECRET} key: value`, "line 1: the name is not one that a header can have"],
  [`{"": "${SECRET}"}`, "header 1: the name is not one that a header can have"],
  ['{"x-a\\r\\ninjected": "x"}', "header 1: the name is not one that a header can have"],
  [`{"x-key": "${SECRET}\\r\\nhost: evil"}`, "x-key: the value is empty or holds characters that no header has"],
  [`x-key: ${SECRET}\rhost: evil`, "x-key: the value is empty or holds characters that no header has"],
  [`x-key: ${SECRET}\u0000`, "x-key: the value is empty or holds characters that no header has"],
  [`x-key: ${SECRET}é`, "x-key: the value is empty or holds characters that no header has"],
  ["x-key:", "x-key: the value is empty or holds characters that no header has"],
  [`{"x-key": ["${SECRET}"]}`, "x-key: expected a text"],
  [`x-key: ${SECRET}\nX-Key: other`, "X-Key is given twice"],
  ["Content-Length: 0", "Content-Length belongs to the request itself and cannot be set"],
  [`x-key: ${SECRET.repeat(1_000)}`, "x-key: the value is longer than 8192 characters"],
  [Array.from({ length: 33 }, (_, n) => `x-${n}: 1`).join("\n"), "holds 33 headers; at most 32 are sent"],
])("%p is refused, and nothing of a value is told", (text, problem) => {
  const extra = readExtraHeaders(text);
  expect(extra).toEqual({ headers: new Map(), problem });
  expect(extra.problem).not.toContain("canary");
});

test("an object's own names are headers, whatever they are called", () => {
  expect(readExtraHeaders('{"__proto__": "a", "constructor": "b"}').headers.size).toBe(2);
});
