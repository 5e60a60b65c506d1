import { type Static, Type } from "@sinclair/typebox";
import { Count, record } from "./schema.ts";

const COUNTS = {
  trials: Count("Trials that count: those of complete rounds."),
  wins: Count("Arm a won."),
  ties: Count("No winner, for whatever reason."),
  losses: Count("Arm b won."),
  inconsistent: Count("Among the ties: the judge contradicted itself."),
  inconclusive: Count("Among the ties: the judge could not tell."),
  invalid: Count("Missing: there was no usable judgement, also when asked again."),
  failed: Count("Missing: the run failed or was interrupted."),
  cancelled: Count("Missing: a person cancelled it."),
  held: Count("Done, but an earlier trial of its scenario, or another scenario of its round, is not."),
  running: Count("Not done yet."),
};

export const SeriesCounts = record("SeriesCounts", {
  ...COUNTS,
  deleted: Count("Missing: its session is gone, and so is the name of its scenario."),
  copies: Type.Optional(
    Count("Of stored runs: they repeat one that counts, by its seed or its recording. Absent while there are none."),
  ),
});
export type SeriesCounts = Static<typeof SeriesCounts>;

export const SeriesScenarioCounts = record("SeriesScenarioCounts", COUNTS);
