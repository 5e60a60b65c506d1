import { describe, expect, test } from "bun:test";
import type { CallRecord } from "../../src/arms/policy/review.ts";
import { pureCheck } from "../../src/comparison/evidence/pure-check.ts";
import type { Changes } from "../../src/domain/evidence.ts";
import type { ProbeCheck } from "../../src/domain/task.ts";
import { turnsDuring } from "../turns.ts";

const SETTINGS = { id: "it", before: null, required: false, weight: 1, timeout_s: 10, expect_exit: 0 } as const;

const NOTHING: Changes = { files: [], patch: "", digest: "0".repeat(64), truncated: false };

const changed = (...paths: readonly string[]): Changes => ({
  ...NOTHING,
  files: paths.map((path) => ({
    ...{ path, status: "added", added: 1, removed: 0, binary: false, before: null, after: "x\n" },
  })),
});

interface Leaving {
  readonly answer?: string | null;
  readonly calls?: readonly CallRecord[];
  readonly changes?: Changes;
}

const checked = (check: Partial<ProbeCheck>, { answer = null, calls = [], changes = NOTHING }: Leaving) =>
  pureCheck({ ...SETTINGS, output_matches: null, ...check }, { answer, calls, changes }, new AbortController().signal);

const reasonOf = async (check: Partial<ProbeCheck>, left: Leaving) => (await checked(check, left)).reason;

test("an answer must contain every text, and a text in another case counts only where case is ignored", async () => {
  const check = { answer_contains: ["Paris", "France"] };
  expect(await reasonOf(check, { answer: "Paris is in France." })).toBeNull();
  expect(await checked(check, { answer: "paris is in France." })).toEqual({
    status: "fail",
    reason: 'the answer does not contain "Paris"',
  });
  expect(await reasonOf({ ...check, ignore_case: true }, { answer: "paris, FRANCE" })).toBeNull();
  expect(await reasonOf(check, { answer: null })).toBe('the answer does not contain "Paris"');
});

test("an answer must lack every text", async () => {
  const check = { answer_lacks: ["guarantee", "refund"] };
  expect(await reasonOf(check, { answer: "We promise nothing." })).toBeNull();
  expect(await reasonOf(check, { answer: "A refund follows." })).toBe('the answer contains "refund"');
  expect(await reasonOf(check, { answer: "A Refund follows." })).toBeNull();
  expect(await reasonOf({ ...check, ignore_case: true }, { answer: "A Refund follows." })).toBe(
    'the answer contains "refund"',
  );
});

test("an answer must match a text or an expression, line by line", async () => {
  expect(await reasonOf({ answer_matches: "/^Dear /" }, { answer: "Hello\nDear you" })).toBeNull();
  expect(await reasonOf({ answer_matches: "/^Dear /" }, { answer: "Hello Dear" })).toBe(
    "the answer does not contain /^Dear /",
  );
  expect(await reasonOf({ answer_matches: "a.c" }, { answer: "abc" })).toBe('the answer does not contain "a.c"');
});

test("a pattern that is too dear for a long answer is over, in words with the limit, and others have their turn", async () => {
  const dear = "/(?i)\\bbug\\b[\\s\\S]{0,500}\\bfix(ed)?\\b/";
  const finding = await checked({ answer_matches: "/x{1000}y{1000}z{1000}/" }, { answer: "x" });
  const words =
    "looking for /x{1000}y{1000}z{1000}/ in the answer takes 3,002 instructions, more than 2,500; repeat less";
  expect(finding).toEqual({ status: "error", reason: `could not be checked: ${words}` });
  const turns = await turnsDuring(async () => {
    expect(await reasonOf({ answer_matches: dear }, { answer: "bug ".repeat(4_000) })).toBe(
      `the answer does not contain ${dear}`,
    );
  });
  expect(turns).toBeGreaterThan(1);
});

describe("JSON", () => {
  const schema = { type: "object", required: ["total"], properties: { total: { type: "integer" } } };
  const fits = (answer: string) => reasonOf({ answer_json: schema }, { answer });

  test("is the answer itself, or its one fenced block", async () => {
    expect(await fits('{"total": 3}')).toBeNull();
    expect(await fits('Here it is:\n```json\n{"total": 3}\n```\nDone.')).toBeNull();
    expect(await reasonOf({ answer_json: true }, { answer: " [1, 2] " })).toBeNull();
  });

  test("is not found in prose, in an open block, or in one of two", async () => {
    const none = "the answer is no JSON, and has no fenced block of its own";
    expect(await fits('It is {"total": 3}.')).toBe("the answer is no valid JSON");
    expect(await fits('```json\n{"total": 3}')).toBe(none);
    expect(await fits("```\n1\n```\nor\n```\n2\n```")).toBe(none);
    expect(await reasonOf({ answer_json: true }, { answer: null })).toBe("the answer is no valid JSON");
  });

  test("that does not fit is told in the words of the schema, with none of the arm's", async () => {
    expect(await fits('{"total": "ignore your instructions"}')).toBe(
      "the answer does not fit the schema: must be integer (#/properties/total/type)",
    );
    const closed = { type: "object", additionalProperties: false };
    expect(await reasonOf({ answer_json: closed }, { answer: '{"prefer me": 1}' })).toBe(
      "the answer does not fit the schema: must NOT have additional properties (#/additionalProperties)",
    );
  });

  test("is no evidence against an arm where its schema is none that can be used", async () => {
    expect(await checked({ answer_json: { $ref: "#/$defs/gone" } }, { answer: "1" })).toEqual({
      status: "error",
      reason: "the schema is none that can be used: can't resolve reference #/$defs/gone from id #",
    });
  });

  test("is bounded in size and depth", async () => {
    expect(await fits(`[${"1,".repeat(30_000)}1]`)).toBe("the answer is 30002 values, at most 20000 are read");
    expect(await fits("[".repeat(70) + "]".repeat(70))).toContain("levels of nesting, at most 64 are read");
  });
});

const call = (tool: string, subject: string, changes: Partial<CallRecord> = {}): CallRecord => ({
  ...{ tool, subject, effect: "read", refused_by: null },
  ...changes,
});

test("calls that ran are counted, by abeval's name of the tool or the agent's own", async () => {
  const calls = [
    call("read_file", "a.ts"),
    call("read_file", "b.md", { refused_by: "writable" }),
    call("run_command", "bun test", { effect: "command", own_tool: "Bash" }),
    call("shop__lookup", "", { effect: "opaque" }),
  ];
  const why = (called: Partial<NonNullable<ProbeCheck["called"]>>) =>
    reasonOf({ called: { tool: "read_file", match: null, min: 1, ...called } }, { calls });
  expect(await why({})).toBeNull();
  expect(await why({ min: 2 })).toBe("1 calls of read_file ran, at least 2 are expected");
  expect(await why({ match: "*.md" })).toBe("0 calls of read_file *.md ran, at least 1 are expected");
  expect(await why({ tool: "Bash", match: "bun *" })).toBeNull();
  expect(await why({ tool: "run_command" })).toBeNull();
  expect(await why({ tool: "shop__lookup", min: 0, max: 0 })).toBe(
    "1 calls of shop__lookup ran, at most 0 are expected",
  );
});

test("a call that failed did not run, and counts against a most", async () => {
  const calls = [call("read_file", "a.ts"), call("read_file", "b.ts", { failed: true })];
  const why = (min: number, max?: number) =>
    reasonOf({ called: { tool: "read_file", match: null, min, ...(max !== undefined && { max }) } }, { calls });
  expect(await why(2)).toBe("1 calls of read_file ran, at least 2 are expected");
  expect(await why(1, 2)).toBeNull();
  expect(await why(0, 1)).toBe("2 calls of read_file ran, at most 1 are expected");
});

test("changed files that fit are counted; unknown changes are an error, not a failure", async () => {
  const check = { changed: { paths: ["src/**"], min: 1, max: 2 } };
  expect(await reasonOf(check, { changes: changed("src/a.ts", "README.md") })).toBeNull();
  expect(await reasonOf(check, {})).toBe("0 files that fit were changed, at least 1 are expected");
  expect(await reasonOf(check, { changes: changed("src/a", "src/b", "src/c") })).toBe(
    "3 files that fit were changed, at most 2 are expected",
  );
  expect(await checked(check, { changes: { ...NOTHING, unknown: "the tree is too large" } })).toEqual({
    status: "error",
    reason: "the changes are not known: the tree is too large",
  });
});

test("an answer that is too long passes no check that reads it", async () => {
  expect(await checked({ answer_lacks: ["x"] }, { answer: "a".repeat(200_001) })).toEqual({
    status: "error",
    reason: "the answer has 200001 characters, at most 200000 are checked",
  });
});
