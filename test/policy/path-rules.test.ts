import { expect, test } from "bun:test";
import { refusedPath } from "../../src/arms/policy/refusal.ts";
import { policies } from "./policies.ts";

test.each([
  ["src/a.ts", null],
  ["src/deep/er/a.ts", null],
  ["src/.hidden/a.ts", null],
  ["README.md", null],
  ["./README.md", null],
  ["src/a.test.ts", "src/**/*.test.ts"],
  ["src/deep/a.test.ts", "src/**/*.test.ts"],
  ["./src//a.test.ts", "src/**/*.test.ts"],
  ["src/x/../a.test.ts", "src/**/*.test.ts"],
  ["src/.env", "src/.env"],
  ["package.json", "paths.writable"],
  ["docs/README.md", "paths.writable"],
  ["../src/a.ts", "paths.writable"],
])("changing %p is refused by %p", (path, rule) => {
  expect(refusedPath(policies().paths, path)).toBe(rule);
});

test("a glob that begins with an exclamation mark is no negation", () => {
  expect(refusedPath({ writable: ["**"], protected: ["!a"] }, "b")).toBeNull();
});
