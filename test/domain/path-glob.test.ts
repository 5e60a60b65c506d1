import { expect, test } from "bun:test";
import fc from "fast-check";
import picomatch from "picomatch";
import { globBases, globFault, globMatcher } from "../../src/domain/path-glob.ts";

const matches = (glob: string, path: string) => globMatcher([glob])(path);

test.each([
  ["**", ".github/a.yml", true],
  ["*", ".env", true],
  ["*", "a/b", false],
  ["src/**", "src/a/b.ts", true],
  ["src/**", "src", true],
  ["src/**", "src-old/a", false],
  ["**/x", "x", true],
  ["**/test/*.ts", "a/b/test/c.ts", true],
  ["a/**/b/**/c", "a/b/x/b/c/c", true],
  ["**.ts", "a/b.ts", true],
  ["a**b", "a/b", false],
  ["./a", "a", true],
  ["{a,b{c,d}}/*.ts", "bd/x.ts", true],
  ["{a}", "{a}", true],
  ["x{,.bak}", "x", true],
  ["[a-c]?.ts", "b1.ts", true],
  ["[!a-c].ts", "b.ts", false],
  ["[^a-c].ts", "d.ts", true],
  ["app/[id]/page.ts", "app/[id]/page.ts", true],
  ["app/(group)/page.ts", "app/(group)/page.ts", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["!a", "!a", true],
  ["!a", "b", false],
  ["[a", "[a", true],
  ["[]a]", "]", true],
  ["a*a", "a", false],
  ["a*ab", "aab", true],
  ["ab*ba", "aba", false],
] as const)("the glob %s on %s: %p", (glob, path, expected) => {
  expect(matches(glob, path)).toBe(expected);
});

test("common globs mean what picomatch takes them for", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", ".", "-"), minLength: 1, maxLength: 4 });
  const path = fc
    .array(name, { minLength: 1, maxLength: 4 })
    .filter((steps) => !steps.some((step) => /^\.{1,2}$/.test(step)))
    .map((steps) => steps.join("/"));
  const plain = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "?", "[ab]"), minLength: 1, maxLength: 4 });
  // picomatch wants something after the dot of `*.*`.
  const named = fc.oneof(
    plain.filter((text) => !/\*\*|^\.{1,2}$|^\*\.\*$/.test(text)),
    fc.constant("{a,b*}"),
  );
  // picomatch lets `a/**` fit `a`, but `*/**` not.
  const glob = fc
    .tuple(fc.array(fc.oneof(named, fc.constant("**")), { maxLength: 3 }), named)
    .map(([segments, last]) => [...segments, last].join("/"));
  fc.assert(
    fc.property(glob, path, (pattern, file) => {
      expect(matches(pattern, file)).toBe(picomatch.isMatch(file, pattern, { dot: true, nonegate: true }));
    }),
    { numRuns: 2_000 },
  );
});

// Each would keep a backtracking matcher busy for hours.
test.each([
  ["stars in a name", `${"*a".repeat(400)}*b`, "a".repeat(4_000)],
  ["stars over directories", `${"**/a/".repeat(180)}b`, `${"a/".repeat(2_000)}c`],
  ["braces", `${"{a,b}".repeat(190)}x`, "ab".repeat(500)],
])("a glob of %s is answered at once", (_, glob, path) => {
  expect(matches(glob, path)).toBe(false);
});

test("the steps of a match are counted, and a path with another ending costs none", () => {
  const cost = (glob: string) => {
    const effort = { steps: 0 };
    expect(globMatcher([glob], effort)("a".repeat(240))).toBe(false);
    return effort.steps;
  };
  expect(cost(`*${"a".repeat(100)}b*`)).toBeGreaterThan(10_000);
  expect(cost(`*${"a".repeat(100)}b`)).toBeLessThan(10);
  expect(cost("b*a")).toBeLessThan(10);
  expect(cost(`*${"a".repeat(100)}{b,b,b,b}*`)).toBe(cost(`*${"a".repeat(100)}b*`));
});

test("a glob of another dialect or of too great length has a fault", () => {
  expect(["src/**/*.{ts,tsx}", "app/[id]/(group)/*", "a".repeat(500)].map(globFault)).toEqual([null, null, null]);
  expect(globFault("a".repeat(501))).toBe("is longer than 500 characters");
  expect(globFault("{a,b}".repeat(20))).toBe("stands for more than 4000 characters without its braces");
  for (const glob of ["!(a)", "@(a|b)", "(a|b)", "{1..3}.ts"])
    expect(globFault(glob)).toBe("uses a pattern that is not supported; there are *, **, ?, [a-z] and {a,b}");
});

test("the bases of globs are the directories that hold all files which can fit", () => {
  expect(globBases(["src/*.ts", "src/deep/**", "a/b.txt", "{x,y}/z/*"])).toEqual(["a/b.txt", "src", "x/z", "y/z"]);
  expect(globBases(["**/a", "b"])).toEqual([""]);
});
