import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { ignoredBy } from "../../src/arms/workspace/ignore/ignored.ts";
import { temporaryDirectory } from "../temporary.ts";

const DIRECTORIES = ["a", "b", "ab"];
/** No characters of several bytes: to git each is several. */
const FILES = ["b.a", "a b", "#a", "!a", "a]"];

/** Directories end with a slash. */
function pathsBelow(prefix: string, depth: number): readonly string[] {
  const files = FILES.map((name) => prefix + name);
  if (depth === 0) return files;
  return [
    ...files,
    ...DIRECTORIES.flatMap((name) => [`${prefix}${name}/`, ...pathsBelow(`${prefix}${name}/`, depth - 1)]),
  ];
}

const PATHS = pathsBelow("", 3);

const PARTS = ["a", "b", "ab", ".", "*", "?", "**", "/", "/", "/**/", "!", "#", " ", "\\", "]"];
const SETS = ["[ab]", "[!a]", "[^b-z]", "[a-]", "[]a]", "[[:alpha:]]", "[\\]a]", "[b-b.]"];
const rule = fc
  .array(fc.constantFrom(...PARTS, ...SETS), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""))
  // There git does otherwise than its manual says.
  .filter((text) => !/\\\/|[^/*]\*\*/.test(text));
const rules = fc.array(rule, { minLength: 1, maxLength: 5 }).map((lines) => lines.join("\n"));

test("what the rules of a fixture ignore is what git ignores", async () => {
  using repository = temporaryDirectory();
  for (const path of PATHS)
    if (path.endsWith("/")) mkdirSync(join(repository.path, path));
    else writeFileSync(join(repository.path, path), "");
  await git(repository.path, ["init", "--quiet"], "");
  await fc.assert(
    fc.asyncProperty(rules, rules, async (top, deeper) => {
      writeFileSync(join(repository.path, ".gitignore"), top);
      writeFileSync(join(repository.path, "a/.gitignore"), deeper);
      const isIgnored = ignoredBy(
        new Map([
          ["a", deeper],
          ["", top],
        ]),
      );
      const asked = PATHS.map((path) => path.replace(/\/$/, ""));
      const output = await git(repository.path, ["check-ignore", "--no-index", "-z", "--stdin"], asked.join("\0"));
      const ignored = PATHS.filter((path) => isIgnored(path.replace(/\/$/, ""), path.endsWith("/")));
      expect(ignored.map((path) => path.replace(/\/$/, ""))).toEqual(output.split("\0").slice(0, -1));
    }),
    { numRuns: 100 },
  );
});

async function git(directory: string, command: readonly string[], input: string): Promise<string> {
  const env = { PATH: "/usr/bin:/bin", HOME: directory, GIT_CONFIG_NOSYSTEM: "1" };
  const options = { cwd: directory, env, stdin: Buffer.from(input), stderr: "ignore" } as const;
  const { stdout } = Bun.spawn(["git", "-c", "core.quotePath=false", ...command], options);
  return await new Response(stdout).text();
}

test.each([
  ["a comment, spaces at the end, a mark at the start and Windows line ends", "\ufeffx\r\n#y\r\nz  \r\n", ["x", "z"]],
  ["an escaped space at the end, a hash and an exclamation mark", "x\\ \n\\#y\n\\!z", ["x ", "#y", "!z"]],
  ["a set that is not closed, and one of a class that nobody knows", "x[a\ny[[:nice:]]", []],
  ["an escaped slash", "u\\/v", ["u/v"]],
  ["braces, which stand for themselves", "{x,y}", ["{x,y}"]],
])("%s are understood as git does", (_, text, ignored) => {
  const isIgnored = ignoredBy(new Map([["", text]]));
  const paths = ["x", "y", "z", "x ", "#y", "!z", "{x,y}", "xa", "ya", "u/v"];
  expect(paths.filter((path) => isIgnored(path, false))).toEqual(ignored);
});

test("the depth of a path does not slow a rule down", () => {
  const isIgnored = ignoredBy(new Map([["", "**/build/**/tmp/**/*.log\n**/a*a*a*a*a*a*a*b\nsrc/**/gen/**/*.java"]]));
  const deep = [...Array(400).fill("build/tmp"), "x"].join("/");
  const long = ["src", ...Array(1_000).fill("gen"), "a".repeat(250)].join("/");
  expect([isIgnored(deep, false), isIgnored(`${deep}.log`, false), isIgnored(long, false)]).toEqual([
    false,
    true,
    false,
  ]);
});

test.each([
  [
    "one that is too long",
    `ok\n${"a".repeat(1_001)}`,
    "sub/.gitignore of the fixture: a rule of more than 1000 characters",
  ],
  [
    "too many",
    "abcd\n".repeat(25_001),
    "sub/.gitignore of the fixture: the rules up to this file of more than 100000 characters",
  ],
])("the author of a fixture reads which file has %s of rules", (_, text, message) => {
  expect(() => ignoredBy(new Map([["sub", text]]))).toThrow(message);
});
