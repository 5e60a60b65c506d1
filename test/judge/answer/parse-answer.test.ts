import { describe, expect, test } from "bun:test";
import { citationChecker } from "../../../src/comparison/judge/answer/citation-checker.ts";
import { judgementSchema } from "../../../src/comparison/judge/answer/judgement-schema.ts";
import { type Expected, type ParseResult, parseAnswer } from "../../../src/comparison/judge/answer/parse-answer.ts";
import { evidenceView } from "../../../src/comparison/judge/view/evidence-view.ts";
import { identityRedactor } from "../../../src/comparison/judge/view/identity-redactor.ts";
import type { JudgedCriterion } from "../../../src/domain/rubric.ts";
import { buildArm, change, command, turn } from "../build-case.ts";
import { called, type Judgement } from "../mock-judge.ts";

const criterion = (id: string, weight: number): JudgedCriterion => ({
  id,
  kind: "judged",
  question: "?",
  weight,
  anchors: {},
});
const settings = { model: null, probe_visibility: "shown", max_evidence_tokens: 12_000, deliverable: ["**"] } as const;
const log = [turn(1, "I look."), command(2, "bun test", 0, "4 pass\n0 fail")];
const checker = citationChecker(
  await evidenceView(buildArm("plain", {}, log), settings, identityRedactor([])),
  "ab12|",
);
const LABELS = ["K7P", "T4M"] as const;
const CRITERIA = [criterion("root-cause", 3), criterion("style", 1)];
const EXPECTED: Expected = {
  labels: LABELS,
  schema: judgementSchema({ criteria: CRITERIA }, LABELS),
  secrets: { echo: "e1e1e1e1", tripwire: "f00df00d" },
  criteria: CRITERIA,
  citations: [checker, checker],
};

test("a judge is asked for the criteria that are judged, and for no measured one", () => {
  const measured = { id: "turns", kind: "measured", measure: "turns", weight: 1 } as const;
  const schema = JSON.stringify(judgementSchema({ criteria: [...CRITERIA, measured] }, LABELS));
  expect(schema).toContain("root-cause");
  expect(schema).not.toContain("turns");
});

const VALID = { kind: "diff", ref: "src/pager.ts:2", quote: "return slice.plain(0, n);" };

function answer(): Judgement {
  const candidate = (scores: readonly number[]) => ({
    criteria: ["root-cause", "style"].map((id, index) => ({
      id,
      evidence: [{ ...VALID }],
      note: "n",
      score: scores[index] ?? 0,
    })),
    concerns: [],
    injection_suspected: false,
  });
  return {
    echo: "e1e1e1e1",
    candidates: { K7P: candidate([3, 2]), T4M: candidate([1, 2]) },
    preference: "K7P",
    strength: "clear",
    deciding_criteria: ["root-cause"],
    rationale: "r",
  };
}

/** The reading of a good answer after one change to its JSON text. */
const readWith = (edit: (text: string) => string): ParseResult =>
  parseAnswer(called(JSON.parse(edit(JSON.stringify(answer())))), EXPECTED);

test("a good answer is usable and free of errors", () => {
  const { answer: usable, errors } = parseAnswer(called(answer()), EXPECTED);
  expect(errors).toEqual([]);
  expect(usable?.scored[0].get("root-cause")).toEqual({
    score: 3,
    note: "n",
    citations: [{ kind: "diff", ref: "src/pager.ts:2", quote: "return slice.plain(0, n);" }],
  });
});

describe("refused, never repaired", () => {
  const CASES: [what: string, edit: (text: string) => string, error: string][] = [
    ["another echo", (text) => text.replace("e1e1e1e1", "00000000"), "echo:"],
    ["a fractional score", (text) => text.replace('"score":3', '"score":2.5'), "candidates/K7P/criteria/0/score:"],
    ["a score as a string", (text) => text.replace('"score":3', '"score":"3"'), "candidates/K7P/criteria/0/score:"],
    ["a score above the range", (text) => text.replace('"score":3', '"score":5'), "candidates/K7P/criteria/0/score:"],
    ["a score below the range", (text) => text.replace('"score":1', '"score":-1'), "candidates/T4M/criteria/0/score:"],
    ["an unknown criterion", (text) => text.replace('"id":"style"', '"id":"speed"'), "candidates/K7P/criteria/1/id:"],
    [
      "a criterion twice",
      (text) => text.replace('"id":"style"', '"id":"root-cause"'),
      "candidates/K7P/criteria: root-cause must be there once",
    ],
    ["another candidate", (text) => text.replace('"T4M":', '"A":'), "candidates/T4M:"],
    ["a preference for nobody here", (text) => text.replace('"preference":"K7P"', '"preference":"A"'), "preference:"],
    [
      "a preference against the scores",
      (text) => text.replace('"preference":"K7P"', '"preference":"T4M"'),
      "incoherent:",
    ],
    [
      "a tie over a wide gap",
      (text) => text.replace('"preference":"K7P","strength":"clear"', '"preference":"tie","strength":"none"'),
      "incoherent:",
    ],
    [
      "a tie with a strength",
      (text) => text.replace('"score":3', '"score":1').replace('"preference":"K7P"', '"preference":"tie"'),
      "strength:",
    ],
    [
      "a preference without a reason",
      (text) => text.replace('"deciding_criteria":["root-cause"]', '"deciding_criteria":[]'),
      "deciding_criteria:",
    ],
    ["a missing field", (text) => text.replace('"rationale":"r"', '"reason":"r"'), "rationale:"],
  ];
  for (const [what, edit, error] of CASES)
    test(what, () => {
      const reading = readWith(edit);
      expect(reading.answer).toBeNull();
      expect(reading.errors.some((text) => text.startsWith(error))).toBe(true);
    });

  test("a missing criterion", () => {
    const given = answer();
    given.candidates["K7P"]?.criteria.pop();
    expect(parseAnswer(called(given), EXPECTED).errors).toEqual([
      "candidates/K7P/criteria: style must be there once, is there 0 times",
    ]);
  });

  test("two different answers with the right echo", () => {
    const both = {
      ...called(answer()),
      calls: [...called(answer()).calls, ...called({ ...answer(), rationale: "other" }).calls],
    };
    expect(parseAnswer(both, EXPECTED).errors).toEqual(["several different answers: give exactly one"]);
  });

  test("but the same answer given twice is one answer", () => {
    const twice = { ...called(answer()), calls: [...called(answer()).calls, ...called(answer()).calls] };
    expect(parseAnswer(twice, EXPECTED).errors).toEqual([]);
  });

  test("an answer with the private code", () => {
    expect(readWith((text) => text.replace('"rationale":"r"', '"rationale":"f00df00d"'))).toMatchObject({
      answer: null,
      leaked: true,
    });
  });
});

describe("citations", () => {
  const check = (kind: "decision" | "diff" | "probe" | "answer", ref: string, quote: string) =>
    checker({ kind, ref, quote })?.ref;

  test("items that were shown, with words that stand in them", () => {
    expect([
      check("decision", "2", "4 pass 0 fail"),
      check("decision", "#1", "I look."),
      check("diff", "src/pager.ts", "modified src/pager.ts"),
      check("diff", "src/pager.ts:2", "ab12| -  return slice(0, n - 1);"),
      check("diff", "src/pager.ts:1-3", "export function pager(n: number) {\n  return"),
      check("probe", "last-page", "last-page: pass"),
      check("answer", "final", "off  by\none"),
    ]).toEqual(["2", "1", "src/pager.ts", "src/pager.ts:2", "src/pager.ts:1", "last-page", "final"]);
  });

  test("a true quote with a wrong line keeps the path only", () => {
    expect(check("diff", "src/pager.ts:99", "return slice.plain(0, n)")).toBe("src/pager.ts");
  });

  test("nothing that was not shown", () => {
    expect([
      check("decision", "3", "4 pass"),
      check("decision", "2", "5 pass"),
      check("decision", "1; 2", "4 pass"),
      check("diff", "src/other.ts", "return"),
      check("diff", "src/pager.ts", "return everything"),
      check("probe", "unknown", "pass"),
      check("answer", "final", "   "),
    ]).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, undefined]);
  });

  test("a quote is a word of three letters or a whole line, and says something", () => {
    expect([
      check("decision", "2", "4 pass"),
      check("decision", "2", "pa"),
      check("decision", "2", "4"),
      check("diff", "src/pager.ts", "}"),
      check("diff", "src/pager.ts", "n"),
      check("diff", "src/pager.ts", "@@ -1,3 +1,3 @@"),
    ]).toEqual(["2", undefined, undefined, undefined, undefined, "src/pager.ts"]);
  });

  test("sixteen of a criterion are checked; more are neither kept nor invalid", () => {
    const given = answer();
    for (const { criteria } of Object.values(given.candidates))
      for (const entry of criteria)
        entry.evidence = Array.from({ length: 20 }, (_, index) =>
          index < 16 ? { ...VALID } : { kind: "diff" as const, ref: "none.ts", quote: "unseen" },
        );
    const { answer: usable, errors } = parseAnswer(called(given), EXPECTED);
    expect({ errors, dropped: usable?.citations_invalid }).toEqual({ errors: [], dropped: 0 });
    expect(usable?.scored[0].get("style")?.citations).toHaveLength(4);
  });

  test("a line number from before or after the change fits its hunk", async () => {
    const patch = "--- a.ts\n+++ a.ts\n@@ -10,1 +50,1 @@\n-const before = 1;\n+const after = 1;\n";
    const changes = { ...change("x", "a.ts"), patch };
    const check = citationChecker(
      await evidenceView(buildArm("plain", { changes }), settings, identityRedactor([])),
      "|",
    );
    const refOf = (line: number) => check({ kind: "diff", ref: `a.ts:${line}`, quote: "const before" })?.ref;
    expect([refOf(10), refOf(50), refOf(30)]).toEqual(["a.ts:10", "a.ts:50", "a.ts"]);
  });

  test("bad ones are errors, and the answer is usable without them", () => {
    const { answer: usable, errors } = readWith((text) =>
      text.replace('"ref":"src/pager.ts:2"', '"ref":"src/none.ts"'),
    );
    expect(errors).toEqual([
      "candidates/K7P/criteria/root-cause/evidence/0: no such item was shown for this candidate, or the quote does not stand in it",
    ]);
    expect({ dropped: usable?.citations_invalid, left: usable?.scored[0].get("root-cause")?.citations }).toEqual({
      dropped: 1,
      left: [],
    });
  });
});
