import { type Static, Type } from "@sinclair/typebox";
import { GivenName } from "./results.ts";
import { Count, nullable, oneOf, record, Share } from "./schema.ts";
import type { SeriesMeasure } from "./series-record.ts";
import { SERIES_MEASURES } from "./series-record.ts";
import type { Side } from "./verdict.ts";

const Points = (description: string) => Type.Number({ minimum: -1, maximum: 1, description });

export const SeriesResult = record(
  "SeriesResult",
  {
    measure: oneOf(SERIES_MEASURES),
    candidate: GivenName("Arm id."),
    control: GivenName("Arm id."),
    value: nullable(
      record("SeriesValues", {
        candidate: Share("Solved share, or mean score, of the trials that count."),
        control: Share("The same of the control."),
      }),
      { description: "Null for `preferred`." },
    ),
    difference: Points("Mean over trials, candidate minus control."),
    low: Points("Lower end of its range, valid at every look."),
    high: Points("Upper end."),
    n: Count("Trials that count."),
    ahead: Count("Trials in which the candidate was ahead; of scores, by more than the table's `tie_margin`."),
    behind: Count("Trials in which it was behind."),
    clusters: Type.Optional(
      record(
        "ResultClusters",
        { field: Type.String({ description: "Column." }), count: Count("Clusters.") },
        {
          description:
            "Rows of a cluster count as their mean; `n`, `ahead` and `behind` count clusters. Absent: trials.",
        },
      ),
    ),
  },
  { description: "What the trials show of the candidate, against the control." },
);
export type SeriesResult = Static<typeof SeriesResult>;

export const LikeThese = record(
  "LikeThese",
  {
    claim: nullable(oneOf(["better", "worse"]), { description: "Of the candidate, on more tasks like these." }),
    p: Share("Exact two-sided sign test over the tasks that differ, at this look."),
    tasks: Count("Scenarios, rows, or clusters of rows, each one unit whatever its trials."),
    ahead: Count("Tasks whose mean difference is the candidate's."),
    behind: Count("Tasks whose mean difference is the control's."),
    look: Type.Integer({
      minimum: 1,
      description: "Rounds of all stored trials that it is made of: 1, 2, 4, ..., 64.",
    }),
    low: nullable(Points("Mean over tasks, candidate minus control: lower end by the clustered standard error."), {
      description: "It describes; null below five tasks.",
    }),
    high: nullable(Points("Upper end.")),
  },
  { description: "What the trials say of more tasks like these, as if all were drawn from one source." },
);
export type LikeThese = Static<typeof LikeThese>;

/** How much worse on average still counts as not worse, where nobody says it: preference has several times the variance. */
export const NOT_WORSE_BY: Readonly<Record<SeriesMeasure, number>> = { solved: 0.1, score: 0.1, preferred: 0.3 };

/** Ids of an arm that the other one is compared with; an earlier one goes before a later one. */
const CONTROLS = ["baseline", "control", "previous", "before", "old", "main", "current"];

/** The arm that the other one is compared with: who was named, else by its id, else the first. */
export function controlSide({ a, b }: Readonly<Record<Side, string>>, named?: string): Side {
  const id = controlAmong([a, b], named);
  return id === b && id !== a ? "b" : "a";
}

/** The same of any number of arms; undefined where there are none. */
export const controlAmong = (arms: readonly string[], named?: string): string | undefined =>
  [named, ...CONTROLS].find((one) => one !== undefined && arms.includes(one)) ?? arms[0];
