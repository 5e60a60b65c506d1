import { expect, test } from "bun:test";
import { gradePart, gradeWhole } from "../../src/comparison/audit/self-test.ts";
import type { Grade, SelfTestPartId, SelfTestTrial } from "../../src/domain/self-test.ts";

const trial = (a: string, b: string, found: Partial<SelfTestTrial>): SelfTestTrial => ({
  ...{ a, b, outcome: "tie", winner: null, lean: null, flags: [], calls: 2, cost_usd: null },
  ...found,
});

const NAMES: Readonly<Record<SelfTestPartId, readonly [string, string]>> = {
  reference_against_nop: ["reference", "nop"],
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

test.each<[SelfTestPartId, string, Grade]>([
  ["reference_against_nop", "aaa", "pass"],
  ["reference_against_nop", "aa=", "warn"],
  ["reference_against_nop", "aa>", "warn"],
  ["reference_against_nop", "===", "fail"],
  ["reference_against_nop", "???", "fail"],
  ["reference_against_nop", "?=?", "fail"],
  ["reference_against_nop", "<<=", "fail"],
  ["reference_against_nop", "=?>", "warn"],
  ["reference_against_nop", "aab", "fail"],
  ["reference_against_nop", "aax", "warn"],
  ["reference_against_nop", "aa-", "warn"],
  ["reference_against_nop", "bx-", "fail"],
  ["reference_against_nop", "xxx", "fail"],
  ["reference_against_nop", "---", "warn"],
  ["reference_against_nop", "", "skip"],
  ["same_evidence", "===", "pass"],
  ["same_evidence", "==>", "pass"],
  ["same_evidence", "==?", "warn"],
  ["same_evidence", "=?a", "fail"],
  ["same_evidence", "b==", "fail"],
  ["harmless_edits", "====", "pass"],
  ["harmless_edits", "==?<", "pass"],
  ["harmless_edits", "==>=", "warn"],
  ["harmless_edits", "==b=", "warn"],
  ["harmless_edits", "==a=", "fail"],
])("%s with %p: %s", (id, marks, verdict) => {
  expect(gradePart(id, trialsOf(id, marks)).verdict).toBe(verdict);
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
