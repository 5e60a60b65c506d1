import { type Static, Type } from "@sinclair/typebox";
import { Count, nullable, record } from "./schema.ts";

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
    Count(
      "Of stored runs: they repeat one that counts, by its seed or its recording. Of a table in which nothing varies: all but one of each scenario. Absent while there are none.",
    ),
  ),
});
export type SeriesCounts = Static<typeof SeriesCounts>;

export const SeriesScenarioCounts = record("SeriesScenarioCounts", COUNTS);

export const SeriesLedger = nullable(
  record("SeriesLedger", {
    comparisons: Count(
      "This one, and others on the same scenarios, by their names, or on the same table. Of more than 10,000 series so many are read.",
    ),
    claims: Count("Of those, comparisons that prefer an arm."),
    by_chance: Type.Number({ minimum: 0, description: "Claims to expect where no arms differ: comparisons x alpha." }),
  }),
  { description: "What the store holds. Null without a state directory, and for all stored runs of a comparison." },
);
