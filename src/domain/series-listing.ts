import { type Static, Type } from "@sinclair/typebox";
import { MAX_TABLE_ARMS } from "./contest-plan.ts";
import { GivenName } from "./results.ts";
import { Count, Digest, nullable, oneOf, record, Timestamp, UserName } from "./schema.ts";
import { SERIES_STATES, SeriesStanding, STOPS } from "./series-record.ts";
import { SeriesId } from "./session.ts";

/** A series that is stored: one that ran here, or results of runs that were made elsewhere. */
export const StoredSeriesId = Type.String({
  pattern: "^(series-\\d{8}T\\d{9}Z-[0-9a-f]{8}|results-[0-9a-f]{64})$",
  description: "`series-...`; `results-<digest>`: results of runs that were made elsewhere.",
});

export const SeriesListing = record("SeriesListing", {
  series_id: StoredSeriesId,
  kind: Type.Optional(
    Type.Literal("results", { description: "Imported from a table. Absent: abeval ran the trials." }),
  ),
  state: oneOf(SERIES_STATES),
  stop: nullable(oneOf(STOPS)),
  created_at: Timestamp("When the series was accepted, or the table first stored."),
  finished_at: nullable(Timestamp("When it reached a final state.")),
  scenarios: Type.Array(GivenName("Scenario name.")),
  members: Count("Its scenarios; of one with inputs, each row that runs."),
  contest: Type.Optional(
    Type.Literal(true, { description: "It compares more than two arms. `standing` says nothing of them." }),
  ),
  arms: Type.Array(GivenName("Arm id."), {
    minItems: 2,
    maxItems: MAX_TABLE_ARMS,
    description: "Arm ids: a, then b; of a contest all.",
  }),
  control: Type.Optional(GivenName("Id of the arm that the other one, the candidate, is compared with.")),
  judge_model: nullable(Type.String(), { description: "Null for imported results, which were not judged." }),
  baseline: Type.Optional(Digest("Of the stored runs that stand in for an arm.")),
  watch: Type.Optional({ ...SeriesId, description: "The series whose arm a night of a watch is held to." }),
  user: Type.Optional(UserName),
  trials: Count("Planned trials of each member; of imported results those of the scenario that has most."),
  standing: SeriesStanding,
});
export type SeriesListing = Static<typeof SeriesListing>;
