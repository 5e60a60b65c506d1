import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../abeval.ts";
import { linesOf, sourcesBelow } from "../house.ts";
import { PYTHON } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { python, pythonFile } from "./package-under-test.ts";

const testPython = testNeeding(PYTHON);

for (const file of ["test_functions.py", "test_compare.py"])
  testPython(
    `the package's own tests pass: ${file}`,
    async () => {
      const { status, stderr } = await python([pythonFile(`tests/${file}`)]);
      expect([status, stderr]).toEqual([0, expect.stringMatching(/Ran [1-9]\d* tests? in .*\n\nOK\n$/)]);
    },
    120_000,
  );

/** Prints what stands in the way of the oldest Python that is promised: a syntax, or a module that is not the standard library's. */
const LOOK = `
import ast, sys
for path in sys.argv[1:]:
    for node in ast.walk(ast.parse(open(path).read(), path, feature_version=(3, 9))):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        for name in names:
            print(name.split(".")[0])
`;

/** All of them are in Python 3.9. */
const STANDARD = [
  ..."__future__ asyncio collections dataclasses functools hashlib hmac html http inspect itertools json os re secrets".split(
    " ",
  ),
  ..."shutil signal stat subprocess sys tempfile textwrap threading traceback types typing urllib".split(" "),
];
const OF_TESTS = ["abeval", "pytest", "unittest"];
const files = (await sourcesBelow("python", "py")).map(({ path }) => join(ROOT, path));

testPython("Python 3.9 can read every file, and each imports the standard library alone", async () => {
  const { status, stdout, stderr } = await python(["-c", LOOK, ...files]);
  expect([status, stderr]).toEqual([0, ""]);
  const imported = new Set(stdout.trimEnd().split("\n"));
  expect([...imported].filter((name) => ![...STANDARD, ...OF_TESTS].includes(name))).toEqual([]);
});

test("python/ has at most 1,500 lines, none of them long", async () => {
  const sources = await sourcesBelow("python", "py");
  expect(linesOf(sources)).toBeLessThanOrEqual(1_500);
  expect(sources.flatMap(({ text }) => text.split("\n")).filter((line) => line.length > 120)).toEqual([]);
});
