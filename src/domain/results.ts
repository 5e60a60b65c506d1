import { type Static, Type } from "@sinclair/typebox";
import { InputsFromCheckout } from "./checkout-input.ts";
import { ContestPlan } from "./contest-plan.ts";
import { EFFICIENCY_FIGURES, type EfficiencyFigure } from "./efficiency.ts";
import { Digest, nullable, oneOf, record, Share, Timestamp } from "./schema.ts";
import { SeriesCluster, SeriesPlan, SeriesRecord, SeriesStanding } from "./series-record.ts";

/** Scenarios of an imported table. */
export const MAX_RESULT_SCENARIOS = 2_000;
/** Trials of both arms together: a pair has one result of each. */
export const MAX_RESULT_PAIRS = 20_000;
/** Scores that differ by no more are told as level. */
export const SCORE_TIE_MARGIN = 0.05;

export const MAX_NAME = 200;

/** The name of a scenario or an arm: a slug, or in a table whatever its author wrote. */
export const GivenName = (description: string) => Type.String({ minLength: 1, maxLength: MAX_NAME, description });

/** What a row says of a run. */
export const RESULT_MEASURES = ["passed", "score"] as const;
export type ResultMeasure = (typeof RESULT_MEASURES)[number];

export const TieMargin = Type.Number({
  minimum: 0,
  exclusiveMaximum: 1,
  description:
    "Scores that differ by at most this are told as level: neither arm is `ahead` in `result`. No claim depends on it.",
});

/** A result is 0 to 1; of runs that passed or not it is 1 or 0. Null: the arm has none. */
const Result = nullable(Share("0 to 1."));

const Name = GivenName("As in the table.");

const Amount = nullable(Type.Number({ minimum: 0 }));

/** What the run of a, and that of b, used of each. */
const UsedPairs = Type.Optional(Type.Array(Type.Tuple([Amount, Amount])));

/** By trial, of each arm but the first two. */
const UsedByOthers = Type.Optional(Type.Array(Type.Array(Amount)));

const byFigure = <T extends typeof UsedPairs | typeof UsedByOthers>(schema: T) =>
  Object.fromEntries(EFFICIENCY_FIGURES.map((figure) => [figure, schema])) as Record<EfficiencyFigure, T>;

/** Results of runs that were made elsewhere: all that is kept of a table. */
export const ImportedResults = record("ImportedResults", {
  measure: oneOf(RESULT_MEASURES),
  arms: record("ImportedArms", { a: Name, b: Name }, { description: "Of a contest the first two." }),
  contest: Type.Optional(ContestPlan),
  levels: record("ImportedLevels", {
    alpha: SeriesPlan.properties.alpha,
    margin: SeriesPlan.properties.margin,
    not_worse_by: SeriesPlan.properties.not_worse_by,
  }),
  tie_margin: TieMargin,
  scenarios: Type.Array(
    record("ImportedScenario", {
      scenario: Name,
      trials: Type.Array(Type.Tuple([Type.Integer({ minimum: 1 }), Result, Result]), {
        description: "Number, result of a, result of b; in the order of the numbers.",
      }),
      used: Type.Optional(
        record("UsedByTrials", byFigure(UsedPairs), {
          description: "By trial, in their order. Absent: the table has no such column.",
        }),
      ),
      others: Type.Optional(
        Type.Array(Type.Array(Result), {
          description: "Of a contest, by trial: the results of each arm but the first two.",
        }),
      ),
      used_by_others: Type.Optional(record("UsedByOthers", byFigure(UsedByOthers))),
    }),
  ),
  columns: SeriesRecord.properties.columns,
  cluster: Type.Optional(SeriesCluster),
});
export type ImportedResults = Static<typeof ImportedResults>;

/** What a store keeps of a table: a series that nobody ran here. Its trials are in no statistics but its own. */
export const StoredResults = record("StoredResults", {
  series_id: Type.String({ pattern: "^results-[0-9a-f]{64}$", description: "`results-<digest of the results>`." }),
  created_at: Timestamp("When it was first stored."),
  state: Type.Literal("completed"),
  results: ImportedResults,
  content: Type.Optional(
    Digest("Of the table, whatever it was compared by. Absent where an earlier version stored it."),
  ),
  standing: SeriesStanding,
  inputs_from_checkout: InputsFromCheckout,
});
export type StoredResults = Static<typeof StoredResults>;
