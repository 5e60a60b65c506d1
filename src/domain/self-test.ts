import { type Static, Type } from "@sinclair/typebox";
import { FAILURE_CODES } from "./failure.ts";
import { JUDGE_NAME_CHARS } from "./panel.ts";
import { MAX_PAGE } from "./request.ts";
import { Count, Digest, nullable, oneOf, record, Share, Slug, Timestamp } from "./schema.ts";
import { FLAGS, OUTCOMES } from "./verdict.ts";

/** What a self-test of a judge looks at. */
export const SELF_TEST_PARTS = [
  "reference_against_nop",
  "half_of_reference",
  "same_evidence",
  "harmless_edits",
] as const;
export type SelfTestPartId = (typeof SELF_TEST_PARTS)[number];

const GRADES = ["pass", "warn", "fail", "skip"] as const;
export type Grade = (typeof GRADES)[number];

export const SelfTestTrial = record(
  "SelfTestTrial",
  {
    a: Type.String({
      description:
        "`reference`, or `half` of it, or a harmless edit of it: `reviewed_comment`, of an answer `claimed_review`, and so on.",
    }),
    b: Type.String({
      description:
        "`nop`, the untouched fixture; of an answer `empty` or `other_task`; `half` of the reference; or `copy`, the reference again. In results of 0.1.6 also `cut`, its first third.",
    }),
    outcome: nullable(oneOf(OUTCOMES), {
      description: "The judge's own, masked repetitions included; null: it was not asked.",
    }),
    winner: nullable(Type.String()),
    lean: nullable(Type.String()),
    flags: Type.Array(oneOf(FLAGS)),
    calls: Count("Presentations to a judge."),
    cost_usd: nullable(Type.Number({ minimum: 0 })),
  },
  { description: "One judging of two pieces of evidence that no arm made." },
);
export type SelfTestTrial = Static<typeof SelfTestTrial>;

export const FaultRate = record(
  "FaultRate",
  {
    faults: Count("Judgings in which it was wrong, or gave no usable answer."),
    judgings: Count("Judgings in which it was asked."),
    rate: Share("Faults for each judging."),
    low: Share("Lowest rate that the judgings do not contradict."),
    high: Share("Highest rate that they do not contradict. The part passes below 0.3."),
  },
  {
    description: "How often a judge was wrong. Each end of the range is wrong in at most 5%, whenever the part ended.",
  },
);
export type FaultRate = Static<typeof FaultRate>;

export const SelfTestPart = record("SelfTestPart", {
  id: oneOf(SELF_TEST_PARTS),
  verdict: oneOf(GRADES, {
    description:
      "`pass`: the judgings contradict that it errs in 30% or more; `fail`: that it errs in 10% or less; `warn`: neither; `skip`: there was nothing to ask.",
  }),
  rate: Type.Optional(FaultRate),
  note: Type.String({ description: "Why, in a sentence." }),
  trials: Type.Array(SelfTestTrial),
});
export type SelfTestPart = Static<typeof SelfTestPart>;

const SelfTestId = Type.String({ pattern: "^self-test-[A-Za-z0-9._-]+$" });

export const SelfTest = record(
  "SelfTest",
  {
    self_test_id: SelfTestId,
    state: oneOf(["running", "completed", "failed"]),
    scenario: Slug(),
    digest: Digest(
      "Digest of what the scenario's runs must share to be compared: everything but the arms and the judge's model.",
    ),
    judge: record("TestedJudge", {
      model: Type.String(),
      protocol: Type.String(),
      prompt_digest: nullable(Digest("As in a verdict.")),
    }),
    parts: Type.Array(SelfTestPart),
    calls: Count("Presentations to a judge."),
    cost_usd: nullable(Type.Number({ minimum: 0 })),
    verdict: nullable(oneOf(["pass", "warn", "fail"]), { description: "Null until it is completed." }),
    failure: nullable(record("SelfTestFailure", { code: oneOf(FAILURE_CODES), message: Type.String() })),
    created_at: Timestamp("When it was requested."),
    finished_at: nullable(Timestamp("When it ended.")),
  },
  { description: "How a judge does on evidence whose right answer is known. No arm runs." },
);
export type SelfTest = Static<typeof SelfTest>;

const { parts: _parts, digest: _digest, failure: _failure, ...LISTED } = SelfTest.properties;
export const SelfTestListing = record("SelfTestListing", LISTED, {
  description: "A self-test without its detailed findings.",
});
export type SelfTestListing = Static<typeof SelfTestListing>;

export const SelfTestListRequest = record("SelfTestListRequest", {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: "The most rows to return." })),
  before: Type.Optional({ ...SelfTestId, description: "Older than this one." }),
});
export type SelfTestListRequest = Static<typeof SelfTestListRequest>;

export const SelfTestRequest = record("SelfTestRequest", {
  scenario: Slug({ description: "Scenario name." }),
  judge_model: Type.Optional(
    Type.String({ minLength: 1, maxLength: JUDGE_NAME_CHARS, description: "As in RunRequest." }),
  ),
  max_cost_usd: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description: "The most that the self-test may cost, USD. One that may not pay for a single judging is refused.",
    }),
  ),
});
export type SelfTestRequest = Static<typeof SelfTestRequest>;

export const SelfTestStarted = record("SelfTestStarted", { self_test_id: SelfTestId });
export type SelfTestStarted = Static<typeof SelfTestStarted>;
