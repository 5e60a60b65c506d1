import { expect, test } from "bun:test";
import { gradePart, gradeWhole, JUDGINGS, judgingsToMake } from "../../src/comparison/audit/grade-part.ts";
import type { Grade, SelfTestPartId, SelfTestTrial } from "../../src/domain/self-test.ts";
import { SELF_TEST_CALLS } from "../../src/domain/self-test-sentence.ts";
import { judgingsUntilFew } from "../../src/statistics/fault-rate.ts";
import { pageNamed } from "../docs/pages.ts";

const trial = (a: string, b: string, found: Partial<SelfTestTrial>): SelfTestTrial => ({
  ...{ a, b, outcome: "tie", winner: null, lean: null, flags: [], calls: 2, cost_usd: null },
  ...found,
});

const NAMES: Readonly<Record<SelfTestPartId, readonly [string, string]>> = {
  reference_against_nop: ["reference", "nop"],
  half_of_reference: ["reference", "half"],
  same_evidence: ["reference", "copy"],
  harmless_edits: ["padding_comments", "copy"],
};

/** `a` and `b` win, `>` and `<` lean to them, `=` is a tie, `?` inconsistent, `x` invalid, `-` not asked. */
function trialsOf(id: SelfTestPartId, marks: string): SelfTestTrial[] {
  const [a, b] = NAMES[id];
  const found: Readonly<Record<string, Partial<SelfTestTrial>>> = {
    a: { outcome: "winner", winner: a },
    b: { outcome: "winner", winner: b },
    ">": { outcome: "inconclusive", lean: a },
    "<": { outcome: "inconclusive", lean: b },
    "=": {},
    "?": { outcome: "inconsistent" },
    x: { outcome: "invalid" },
    "-": { outcome: null },
  };
  return [...marks].map((mark) => trial(a, b, found[mark] ?? {}));
}

const many = (mark: string, count: number) => mark.repeat(count);

test.each<[SelfTestPartId, string, Grade]>([
  ["reference_against_nop", many("a", 14), "pass"],
  ["reference_against_nop", many("a", 13), "warn"],
  ["reference_against_nop", `=${many("a", 18)}`, "pass"],
  ["reference_against_nop", `=${many("a", 17)}`, "warn"],
  ["reference_against_nop", "===", "fail"],
  ["reference_against_nop", "a=?<>", "fail"],
  ["reference_against_nop", "bbb", "fail"],
  ["reference_against_nop", "bb", "warn"],
  ["reference_against_nop", "xxx", "fail"],
  ["reference_against_nop", "---", "warn"],
  ["reference_against_nop", `${many("a", 14)}-`, "pass"],
  ["reference_against_nop", "", "skip"],
  ["half_of_reference", "===", "fail"],
  ["half_of_reference", many("a", 14), "pass"],
  ["same_evidence", many("?", 14), "pass"],
  ["same_evidence", many(">", 14), "pass"],
  ["same_evidence", "aba", "fail"],
  ["same_evidence", "xxx", "fail"],
  ["harmless_edits", "aaa", "fail"],
  ["harmless_edits", many("b", 14), "pass"],
  ["harmless_edits", many("<", 14), "pass"],
])("%s with %p: %s", (id, marks, verdict) => {
  expect(gradePart(id, trialsOf(id, marks)).verdict).toBe(verdict);
});

test("one edit that always wins is a fault, whatever the others do", () => {
  const trials = Array.from({ length: 16 }, (_, index) =>
    trial(`edit_${index % 4}`, "copy", index % 4 === 0 ? { outcome: "winner", winner: "edit_0" } : {}),
  );
  expect(gradePart("harmless_edits", trials)).toMatchObject({
    verdict: "fail",
    note: "a harmless edit won in 4 of 16 judgings: edit_0 (range 3% to 56%)",
    rate: { faults: 4, judgings: 16, rate: 0.25 },
  });
});

test("a part says how often it erred and how sure that is, and where it could not be told", () => {
  const told = (id: SelfTestPartId, marks: string) => gradePart(id, trialsOf(id, marks)).note;
  expect([
    told("reference_against_nop", many("a", 14)),
    told("half_of_reference", "?=a"),
    told("same_evidence", `?a${many("=", 17)}`),
    told("harmless_edits", "aaa"),
    told("same_evidence", "xxx"),
    told("same_evidence", "xxxa"),
    told("reference_against_nop", "aa-"),
    told("reference_against_nop", "--"),
    told("reference_against_nop", many("aaaab", 6)),
  ]).toMatchInlineSnapshot(`
    [
      "it missed the known good work in 0 of 14 judgings (range 0% to 29%)",
      "it missed the whole work in 2 of 3 judgings, against half of the known good work (range 9% to 99%); 3 judgings do not show whether it errs in at most 10% or in at least 30%",
      "it named a winner between two copies in 1 of 19 judgings, and went by the order of presentation in 1 (range below 0.1% to 29%)",
      "a harmless edit won in 3 of 3 judgings: padding_comments (range 25% to 100%)",
      "the judge gave no usable answer in 3 of 3 judgings (range 25% to 100%)",
      "it named a winner between two copies in 1 of 4 judgings, and gave no usable answer in 3 (range 35% to 100%)",
      "it missed the known good work in 0 of 2 judgings (range 0% to 86%); the cost limit left no money to show whether it errs in at most 10% or in at least 30%",
      "the cost limit left nothing for it",
      "it missed the known good work in 6 of 30 judgings, against the untouched fixture, which it preferred in 6 (range 3% to 42%); 30 judgings do not show whether it errs in at most 10% or in at least 30%",
    ]
  `);
});

test("a part asks in rounds until it is told whether the judge errs, and asks no more than 30 times", () => {
  const next = (marks: string) => judgingsToMake("reference_against_nop", trialsOf("reference_against_nop", marks));
  expect([
    next(""),
    next(many("a", 5)),
    next(many("a", 10)),
    next(many("a", 14)),
    next("==="),
    next("aa-"),
    next(many("aaaab", 5)),
    next(many("aaaab", 6)),
  ]).toEqual([5, 5, 4, 0, 0, 0, 5, 0]);
});

test.each<[Grade[], string]>([
  [["pass", "pass", "pass"], "pass"],
  [["pass", "warn", "pass"], "warn"],
  [["pass", "warn", "fail"], "fail"],
  [["pass", "skip", "pass"], "pass"],
  [["skip", "skip", "skip"], "warn"],
])("parts %p are a test that is %s", (verdicts, whole) => {
  expect(gradeWhole(verdicts.map((verdict) => ({ verdict })))).toBe(whole as never);
});

test("documents say how many calls a self-test takes, and when a part passes", async () => {
  expect(SELF_TEST_CALLS).toBe(`${2 * JUDGINGS.least} to ${4 * JUDGINGS.most} judge calls`);
  expect(pageNamed("README.md").text).toContain(SELF_TEST_CALLS);
  const judging = pageNamed("docs/judging.md").text;
  expect(judging).toContain(`A self-test takes ${SELF_TEST_CALLS}`);
  const [after, ...more] = [0, 1, 2, 3].map((faults) => faults + judgingsUntilFew({ faults, judgings: faults }));
  const [one, two, three] = more;
  expect(judging).toContain(
    `after ${after} judgings without a fault, ${one} with one, ${two} with two, ${three} with three.`,
  );
});
