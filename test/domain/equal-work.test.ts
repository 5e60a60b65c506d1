import { expect, test } from "bun:test";
import { checksApart, EVERYTHING, isChanged, isSameWork, leaveOut } from "../../src/domain/equal-work.ts";
import type { ChangedFile, Changes } from "../../src/domain/evidence.ts";
import { probe } from "../judge/build-case.ts";

const [ONE, OTHER] = ["1".repeat(64), "2".repeat(64)];

const file = (path: string, parts: Partial<ChangedFile> = {}): ChangedFile => ({
  ...{ path, status: "modified", added: 1, removed: 1, binary: false, before: "old\n", after: "new\n" },
  ...parts,
});

const changes = (files: readonly ChangedFile[], parts: Partial<Changes> = {}): Changes => ({
  ...{ files: [...files], patch: "", digest: ONE, truncated: false },
  ...parts,
});

const same = (a: Changes, b: Changes, globs = EVERYTHING) => [isSameWork(a, b, globs), isSameWork(b, a, globs)];

const binary = (digest?: string) => file("a.bin", { binary: true, after: null, ...(digest && { digest }) });
const gone = file("a.ts", { status: "deleted", after: null });

test.each<[string, Changes, Changes]>([
  ["the same text", changes([file("a.ts")]), changes([file("a.ts")], { digest: OTHER })],
  ["nothing at all", changes([]), changes([])],
  ["the same file deleted", changes([gone]), changes([gone])],
  ["binary files of one digest", changes([binary(ONE)]), changes([binary(ONE)])],
  ["more files than are listed, of one digest", changes([], { truncated: true }), changes([], { truncated: true })],
  ["the same modes", changes([], { mode_changed: ["a.sh"] }), changes([], { mode_changed: ["a.sh"] })],
])("%s is equal work", (_what, a, b) => expect(same(a, b)).toEqual([true, true]));

const link = file("a.ts", { after: "-> b", digest: ONE });
test.each<[string, Changes, Changes]>([
  ["another text", changes([file("a.ts")]), changes([file("a.ts", { after: "other\n" })])],
  ["one file more", changes([file("a.ts")]), changes([file("a.ts"), file("b.ts")])],
  ["another name", changes([file("a.ts")]), changes([file("b.ts")])],
  ["a file deleted, or emptied", changes([gone]), changes([file("a.ts", { after: "" })])],
  ["binary files of two digests", changes([binary(ONE)]), changes([binary(OTHER)])],
  ["files whose bytes nobody knows", changes([binary()]), changes([binary()])],
  ["a link, or a text that reads like it", changes([link]), changes([file("a.ts", { after: "-> b" })])],
  ["more files than are listed", changes([], { truncated: true }), changes([], { truncated: true, digest: OTHER })],
  ["an executable bit", changes([], { mode_changed: ["a.sh"] }), changes([])],
  ["changes that are unknown", changes([], { unknown: "too large" }), changes([], { unknown: "too large" })],
])("%s is not", (_what, a, b) => expect(same(a, b)).toEqual([false, false]));

test("changes that are not known yet are equal to nothing", () =>
  expect([isSameWork(null, null, EVERYTHING), isSameWork(null, changes([]), EVERYTHING)]).toEqual([false, false]));

test("only what the globs name is compared", () => {
  const a = changes([file("notes.md"), file("src/a.ts")], { mode_changed: ["run.sh"] });
  const b = changes([file("src/a.ts")]);
  expect([same(a, b, ["src/**"]), same(a, b, ["**/*.md"]), same(a, b, ["*.sh"])]).toEqual([
    [true, true],
    [false, false],
    [false, false],
  ]);
  expect([isChanged(a, ["src/**"]), isChanged(a, ["*.sh"]), isChanged(a, ["*.txt"])]).toEqual([true, true, false]);
});

test("checks on which arms differ are those that one of them passed", () => {
  const [failed, passed] = [probe("fail", 10), probe("pass", 10)];
  const task = { probe: null };
  const pairs = [
    [failed, passed],
    [failed, failed],
    [null, passed],
  ] as const;
  expect(pairs.map(([a, b]) => [...checksApart(task, a, b)])).toEqual([["last-page"], [], []]);
});

test("a check that is left out stands beside the others and counts no longer", () => {
  const left = leaveOut(probe("fail", 9), new Set(["last-page", "graded-9", "unknown"]));
  expect([left.score, left.passed, left.total, left.checks.length]).toEqual([1, 9, 9, 9]);
  expect(left.not_repeatable?.map(({ id }) => id)).toEqual(["last-page", "graded-9"]);
  const none = leaveOut(left, new Set(left.checks.map(({ id }) => id)));
  expect([none.score, none.passed, none.total, none.not_repeatable?.length]).toEqual([0, 0, 0, 11]);
});
