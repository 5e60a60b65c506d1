import { expect, test } from "bun:test";
import {
  isTestFile,
  pythonEnvironment,
  type Repertoire,
  steeringFiles,
  testCommand,
} from "../../src/comparison/scenario/draft/test-files.ts";
import { PLACEHOLDER } from "../../src/comparison/scenario/draft-scenario.ts";

const nothing: Repertoire = { top: new Set(), manifest: null, locks: {} };
const manifest = (value: unknown, ...top: string[]): Repertoire => ({
  top: new Set(top),
  manifest: JSON.stringify(value),
  locks: {},
});

test.each([
  "tests/data/orders.csv",
  "src/pager.test.ts",
  "src/__tests__/pager.js",
  "pkg/pager_test.go",
  "test_pager.py",
  "conftest.py",
  "spec/pager_spec.rb",
  "src/test/java/PagerTest.java",
])("%s is a test", (path) => expect(isTestFile(path)).toBe(true));

test.each(["src/pager.ts", "contest.py", "src/latest/pager.go", "testing.md", "src/protest.rs", "attest/a.py"])(
  "%s is none",
  (path) => expect(isTestFile(path)).toBe(false),
);

test.each([
  [
    "tests/test_a.py",
    "import unittest\nclass A(unittest.TestCase): pass\n",
    nothing,
    "python3 -m unittest tests/test_a.py",
    [],
  ],
  ["tests/test_a.py", "import pytest\n", nothing, "python3 -m pytest -q tests/test_a.py", []],
  [
    "tests/test_a.py",
    "from unittest import mock\ndef test_a(): pass\n",
    nothing,
    "python3 -m pytest -q tests/test_a.py",
    [],
  ],
  [
    "tests/test_a.py",
    "import pytest\n",
    { ...nothing, top: new Set(["uv.lock"]) },
    ".venv/bin/python -m pytest -q tests/test_a.py",
    pythonEnvironment({ top: new Set(["uv.lock"]) }).setup,
  ],
  ["pkg/a b/a_test.go", "package a\n", nothing, "go test ./'pkg/a b'", []],
  ["tests/it.rs", "#[test]\n", nothing, "cargo test", []],
  ["a.test.ts", 'import { test } from "bun:test";', nothing, "bun test a.test.ts", []],
  [
    "a.test.ts",
    'import { test } from "bun:test";',
    manifest({ dependencies: { x: "1" } }, "bun.lock"),
    "bun test a.test.ts",
    ["bun install --frozen-lockfile"],
  ],
  ["a.test.js", 'const test = require("node:test");', nothing, "node --test a.test.js", []],
  [
    "a.test.ts",
    "test('a', f)",
    manifest({ devDependencies: { vitest: "3" } }, "package-lock.json"),
    "npx vitest run a.test.ts",
    ["npm ci"],
  ],
  ["a.test.ts", "test('a', f)", manifest({ devDependencies: { jest: "30" } }), "npx jest a.test.ts", ["npm install"]],
  ["a.test.ts", "test('a', f)", manifest({ devDependencies: { ava: "6" } }), "npx ava a.test.ts", ["npm install"]],
  ["a.test.ts", "test('a', f)", manifest({ scripts: { test: "make check" } }), "npm test", []],
  ["a.test.ts", "test('a', f)", { ...nothing, manifest: "{broken" }, PLACEHOLDER, []],
  ["spec/a_spec.rb", "describe 'a'", nothing, PLACEHOLDER, []],
])("%s is run by what it and its repository say", (path, text, repertoire, run, setup) => {
  expect(testCommand(path, text, repertoire)).toEqual({ run, setup });
});

test.each([
  ["tests/__init__.py", ""],
  ["tests/helper.ts", "export const one = 1;"],
  ["tests/data.csv", "a,b"],
])("%s runs nothing", (path, text) => expect(testCommand(path, text, nothing)).toBeNull());

test("the configuration of the test runner is protected unless the fix changes it", () => {
  const top = new Set(["package.json", "bunfig.toml", "README.md", "vitest.config.ts"]);
  expect(steeringFiles({ top, manifest: null, locks: {} }, ["package.json"])).toEqual([
    "bunfig.toml",
    "vitest.config.ts",
  ]);
});
