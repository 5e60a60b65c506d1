import { type Static, Type } from "@sinclair/typebox";
import { GivenName } from "./results.ts";
import { Count, nullable, record, Share, Slug } from "./schema.ts";

export const Usd = nullable(Type.Number({ minimum: 0 }), { description: "USD; null = unknown." });

const Shares = Type.Array(Share("For k = 1, 2, ... at most 8, and half of the trials of each task."));

export const SolvedCount = record("SolvedCount", {
  solved: Count("Trials in which every required check passed."),
  trials: Count("Trials with required checks."),
  low: Share("Wilson 95%."),
  high: Share("Wilson 95%."),
  pass_power: {
    ...Shares,
    description: "Chance that k trials of a task are all solved, mean over tasks: reliability.",
  },
  pass_power_low: { ...Shares, description: "Of its 95% range over tasks." },
  pass_power_high: { ...Shares, description: "Of its 95% range over tasks." },
  pass_at: { ...Shares, description: "Chance that at least one of k is solved, mean over tasks: luck." },
});
export type SolvedCount = Static<typeof SolvedCount>;

export const PassedCount = record("PassedCount", {
  passed: Count("Trials in which it passed."),
  trials: Count("Completed trials in which its result is known."),
  low: Share("Wilson 95%."),
  high: Share("Wilson 95%."),
});
export type PassedCount = Static<typeof PassedCount>;

const ScoredCount = record("ScoredCount", {
  mean: Share("Mean of its numbers."),
  trials: Count("Completed trials in which it ran."),
});
export type ScoredCount = Static<typeof ScoredCount>;

export const SeriesCheck = record("SeriesCheck", {
  id: Slug(),
  a: nullable(PassedCount, { description: "Null where no trial has a known result." }),
  b: nullable(PassedCount, { description: "Null where no trial has a known result." }),
  scores: Type.Optional(
    record(
      "ScoresOfCheck",
      { a: nullable(ScoredCount), b: nullable(ScoredCount) },
      { description: "Of a check that gives a number; absent for one that only passes or fails." },
    ),
  ),
});
export type SeriesCheck = Static<typeof SeriesCheck>;

const SolvedAmong = (what: string) =>
  record(`SolvedAmong${what}`, {
    solved: Count("Of those, trials in which every required check passed."),
    trials: Count("Trials with required checks."),
  });

const SkillCount = record("SkillCount", {
  name: Type.String(),
  fired: Count("Completed trials in which the arm read it."),
  trials: Count("Completed trials in which it was given the skill, or read it."),
  solved_fired: SolvedAmong("Fired"),
  solved_silent: SolvedAmong("Silent"),
});
export type SkillCount = Static<typeof SkillCount>;

export const SeriesArm = record("SeriesArm", {
  arm_id: GivenName("Id of the arm; of imported results its name in the table."),
  mean_score: Type.Optional(
    Share("Mean score, in the trials that have one for each arm; absent where no score is measured."),
  ),
  cost_usd: record("SeriesArmCost", { mean: Usd, total: Usd }),
  tokens: nullable(Count("Of all trials; null when one is unknown.")),
  wall_ms_median: nullable(Type.Number({ minimum: 0 })),
  solved: nullable(SolvedCount),
  crashed: Type.Optional(
    record(
      "CrashedCount",
      { crashed: Count("Completed trials in which its external agent crashed."), trials: Count("Completed trials.") },
      { description: "Absent while it crashed in none." },
    ),
  ),
  usage_lost: Type.Optional(
    record(
      "UsageLostCount",
      { lost: Count("Completed trials of which not all tokens are known."), trials: Count("Completed trials.") },
      { description: "Absent while all are known." },
    ),
  ),
  skills: Type.Optional(Type.Array(SkillCount, { description: "Absent where it was given none and read none." })),
});
