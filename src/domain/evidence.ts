import { type Static, Type } from "@sinclair/typebox";
import { BUDGETS } from "./decision.ts";
import { SEVERITIES } from "./policies.ts";
import { Count, Digest, nullable, oneOf, record, Share, Slug } from "./schema.ts";

export const ChangedFile = record("ChangedFile", {
  path: Type.String(),
  status: oneOf(["added", "modified", "deleted"]),
  added: Count("Lines added; 0 for binary files."),
  removed: Count("Lines removed; 0 for binary files."),
  binary: Type.Boolean(),
  before: nullable(Type.String(), { description: "Text in the fixture; null when absent, binary or over the cap." }),
  after: nullable(Type.String(), { description: "Text the arm left; null when absent, binary or over the cap." }),
  digest: Type.Optional(
    Digest("SHA-256 of the bytes the arm left, where `after` does not hold them as they are. Absent where unknown."),
  ),
});
export type ChangedFile = Static<typeof ChangedFile>;

export const Changes = record("Changes", {
  files: Type.Array(ChangedFile, { description: "Sorted by path." }),
  patch: Type.String({ description: "Unified diff against the fixture; binary files by hash and size." }),
  digest: Digest("SHA-256 over every changed path and its final bytes, whole, whatever was cut."),
  truncated: Type.Boolean({ description: "The patch, or the text of a file, was cut to its cap." }),
  mode_changed: Type.Optional(
    Type.Array(Type.String(), {
      description: "Files that became or are no longer executable, new ones too. Absent: none.",
    }),
  ),
  unknown: Type.Optional(
    nullable(Type.String(), {
      description:
        "Why the files could not be compared; `files` is then empty and says nothing. Absent or null: they were compared.",
    }),
  ),
});
export type Changes = Static<typeof Changes>;

const CheckStatus = oneOf(["pass", "fail", "error", "scored"], {
  description:
    "`error`: it was stopped, could not start, gave no number, or is over what is checked. `scored`: it gave a number, which no `min_score` makes a pass or a failure.",
});

export const CheckResult = record("CheckResult", {
  id: Slug(),
  status: CheckStatus,
  required: Type.Boolean(),
  weight: Type.Number(),
  before: nullable(oneOf(["pass", "fail"])),
  exit_code: nullable(Type.Integer()),
  reason: nullable(Type.String(), { description: "Why it is not a pass." }),
  could_not_run: Type.Optional(
    Type.String({
      description:
        "What it lacked and no arm was asked to make, or why this machine did not finish it; absent when it ran.",
    }),
  ),
  score: Type.Optional(
    Share("The number that it gave, 0 where it gave none. Absent for a check that only passes or fails."),
  ),
  min_score: Type.Optional(Share("As in the check.")),
  why: Type.Optional(
    Type.String({ description: "What the check says of its number or result, cut at 500 characters." }),
  ),
  again: Type.Optional({
    ...CheckStatus,
    description:
      "Its result when it ran again, because it had differed on equal work; absent when it did not run again.",
  }),
  output: Type.String({ description: "Head and tail, cut at 4 kB." }),
  duration_ms: Count("Milliseconds."),
});
export type CheckResult = Static<typeof CheckResult>;

export const ProbeResult = record("ProbeResult", {
  score: Share("Weight of the passed checks, and of the others times their numbers, over the weight of all."),
  passed: Count("Checks passed."),
  total: Count("Checks run that pass or fail; those that only give a number do neither."),
  checks: Type.Array(CheckResult),
  not_repeatable: Type.Optional(
    Type.Array(CheckResult, {
      description: "Checks that differed by chance on equal work; no other field includes them. Absent: none.",
    }),
  ),
  restored: Type.Array(Type.String(), { description: "Protected files that differed and were restored first." }),
});
export type ProbeResult = Static<typeof ProbeResult>;

export const Violation = record("Violation", {
  rule: Type.String(),
  severity: oneOf(SEVERITIES),
  subject: Type.String({ description: "The path, command or behaviour." }),
  blocked: Type.Boolean({ description: "Refused before it ran." }),
});
export type Violation = Static<typeof Violation>;

export const RequiredResult = record("RequiredResult", {
  id: Slug(),
  tool: Type.String(),
  count: Count("Matching calls that ran."),
  min: Type.Integer({ minimum: 0 }),
  max: Type.Optional(Type.Integer({ minimum: 0 })),
  met: Type.Boolean(),
});
export type RequiredResult = Static<typeof RequiredResult>;

const PassCount = record("PassCount", { passed: Count("Checks passed."), total: Count("Checks of this kind.") });

export const ReferenceFixScore = record(
  "ReferenceFixScore",
  {
    score: Share("0.70 resolution + 0.20 file_f1 + 0.10 similarity, renormalised over the parts that exist."),
    resolution: nullable(oneOf(["full", "partial", "none"]), {
      description: "SWE-bench rule over the checks with `before: fail` and `before: pass`; null without a probe.",
    }),
    fail_to_pass: nullable(PassCount),
    pass_to_pass: nullable(PassCount),
    files_expected: Type.Array(Type.String()),
    files_touched: Type.Array(Type.String()),
    missing_files: Type.Array(Type.String()),
    extra_files: Type.Array(Type.String()),
    file_precision: Share("Touched files that were expected."),
    file_recall: Share("Expected files that were touched."),
    file_f1: Share("Harmonic mean of precision and recall."),
    similarity: Share("Token similarity of the normalised added and removed lines."),
    exact_match: Type.Boolean(),
    size_ratio: nullable(Type.Number({ minimum: 0 }), {
      description:
        "Changed lines over the reference's; null when the reference changes none, or the patch is longer than 200 kB.",
    }),
  },
  { description: "How an arm's change compares with the reference fix. A different correct fix is not a wrong one." },
);
export type ReferenceFixScore = Static<typeof ReferenceFixScore>;

export const BudgetUse = record("BudgetUse", {
  budget: oneOf(BUDGETS),
  used: nullable(Type.Number()),
  limit: nullable(Type.Number()),
});
export type BudgetUse = Static<typeof BudgetUse>;

export const Facts = record(
  "Facts",
  {
    status: Type.String({ description: "The arm's status." }),
    stop_reason: nullable(Type.String()),
    required_checks: nullable(oneOf(["passed", "failed"]), { description: "Null when the probe has none." }),
    probe: nullable(
      record("ProbeFacts", {
        score: Share("As in ProbeResult."),
        passed: Count("Checks passed."),
        total: Count("Checks run."),
        checks: Type.Array(
          record("CheckFact", {
            id: Slug(),
            status: ProbeResult.properties.checks.items.properties.status,
            score: ProbeResult.properties.checks.items.properties.score,
            could_not_run: ProbeResult.properties.checks.items.properties.could_not_run,
          }),
        ),
      }),
    ),
    crashed: Type.Optional(
      Type.Integer({ description: "Exit code with which its external agent crashed; absent when none did." }),
    ),
    disqualified: Type.Boolean(),
    violations: Type.Array(Violation),
    required: Type.Array(RequiredResult),
    changed_files: nullable(Count("Files."), { description: "Null when the arm's changes are not known." }),
    added: nullable(Count("Lines."), { description: "Null when the arm's changes are not known." }),
    removed: nullable(Count("Lines."), { description: "Null when the arm's changes are not known." }),
    reference_fix: nullable(ReferenceFixScore),
  },
  { description: "What code established about an arm, without any opinion." },
);
export type Facts = Static<typeof Facts>;
