import type { SelfTest, SelfTestListing, SelfTestTrial } from "../../../../domain/self-test.ts";

const trial = (a: string, b: string, changes: Partial<SelfTestTrial> = {}): SelfTestTrial => ({
  ...{ a, b, outcome: "tie", winner: null, lean: null, flags: [], calls: 2, cost_usd: 0.04 },
  ...changes,
});
const right = trial("reference", "nop", { outcome: "winner", winner: "reference", calls: 4, cost_usd: 0.07 });
const same = trial("reference", "copy");

export const EXAMPLE_SELF_TEST: SelfTest = {
  self_test_id: "self-test-pager-last-page-20260103T101500000Z-8c1f02",
  state: "completed",
  scenario: "pager-last-page",
  digest: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
  judge: {
    model: "anthropic/claude-opus-4-5",
    protocol: "swapped-pair/3",
    prompt_digest: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  },
  parts: [
    {
      id: "reference_against_nop",
      verdict: "pass",
      note: "it preferred the reference in 3 of 3 trials",
      trials: [right, right, right],
    },
    {
      id: "same_evidence",
      verdict: "pass",
      note: "it named no winner between two copies in 3 of 3 trials",
      trials: [same, same, same],
    },
    {
      id: "harmless_edits",
      verdict: "warn",
      note: "what changes nothing moved it: padding_comments",
      trials: [
        trial("reviewed_comment", "copy"),
        trial("claimed_tests", "copy"),
        trial("padding_comments", "copy", { outcome: "inconclusive", lean: "padding_comments" }),
        trial("renamed_locals", "copy"),
      ],
    },
  ],
  calls: 26,
  cost_usd: 0.49,
  verdict: "warn",
  failure: null,
  created_at: "2026-01-03T10:15:00.000Z",
  finished_at: "2026-01-03T10:16:12.000Z",
};

const { parts: _parts, digest: _digest, failure: _failure, ...row } = EXAMPLE_SELF_TEST;
export const EXAMPLE_SELF_TEST_ROW: SelfTestListing = row;
