import { clustersText, comparedValue, repeatingRows } from "../../domain/cluster.ts";
import { MARGIN } from "../../domain/defaults.ts";
import { memberName, memberWord, withInputId } from "../../domain/member.ts";
import { counted } from "../../domain/number-text.ts";
import type { ImportedResults } from "../../domain/results.ts";
import type { Series } from "../../domain/series.ts";
import { ALPHA, type SeriesCluster, type SeriesMeasure, type SeriesRecord } from "../../domain/series-record.ts";
import { controlSide, NOT_WORSE_BY } from "../../domain/series-result.ts";
import { isFinal } from "../../domain/session-state.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Side } from "../../domain/verdict.ts";
import { unitCount } from "../claim/clusters.ts";
import type { Levels } from "../claim/conclusion.ts";
import { NOW, rulesOf } from "../claim/rules.ts";

/** A report repeats these fields unchanged. */
type Told = Pick<
  Series,
  | "series_id"
  | "kind"
  | "state"
  | "stop"
  | "failure"
  | "plan"
  | "plan_digest"
  | "imported"
  | "levels"
  | "limits"
  | "changes"
  | "series_before"
  | "created_at"
  | "finished_at"
  | "columns"
  | "repeated_rows"
  | "inputs_from_checkout"
  | "control"
>;

/** What a series is of, whether somebody planned it or not. */
export interface Subject {
  readonly told: Readonly<Told>;
  readonly scenarios: readonly {
    readonly scenario: string;
    readonly input?: string;
    readonly digest: string | null;
    /** Empty for imported results, which belong to none. */
    readonly comparison: string;
  }[];
  /** Their ids. */
  readonly arms: Readonly<Record<Side, string>>;
  /** Empty where nobody judged. */
  readonly judge_model: string;
  readonly scripted: boolean;
  readonly arms_differ: boolean;
  /** As `told` has them, with the rules of the series' own version. */
  readonly levels: Levels;
  readonly measure: SeriesMeasure;
  /** Column that names the cluster of each row; absent: each row counts for itself. */
  readonly cluster?: string;
  /** The arm that the other one is compared with. */
  readonly control_side: Side;
}

export function plannedSubject(series: SeriesRecord): Subject {
  const { standing: _, control, ...told } = series;
  const { alpha, margin, scenarios, judge_model, scripted, arms_differ, measure = "preferred" } = series.plan;
  const { not_worse_by = NOT_WORSE_BY[measure], baseline, cluster } = series.plan;
  const [a = "a", b = "b"] = series.plan.arms;
  const arms = { a, b };
  const control_side = controlSide(arms, control ?? (baseline && arms[baseline.side]));
  const levels = { alpha, margin, not_worse_by };
  return {
    told: { ...told, kind: "planned", levels, control: arms[control_side] },
    ...clustered({ ...levels, rules: rulesOf(series.plan.protocol) }, cluster),
    ...{ scenarios, arms, judge_model, scripted, arms_differ, measure, control_side },
  };
}

/** The levels by which clusters are bet on; they as they are where each row counts for itself. */
function clustered(levels: Levels, cluster: SeriesCluster | undefined): Pick<Subject, "levels" | "cluster"> {
  if (cluster === undefined) return { levels };
  const rules = { ...(levels.rules ?? NOW), clustered: true };
  return { levels: { ...levels, rules, clusters: cluster.of_row }, cluster: cluster.field };
}

/** All stored runs of a comparison, and what of it stands in each of them. */
export interface StoredRuns {
  readonly comparison: string;
  readonly scenario: string;
  readonly input?: string;
  readonly arms: Readonly<Record<Side, string>>;
  readonly judge_model: string;
  readonly scripted: boolean;
  /** All of them, oldest first. */
  readonly rows: readonly TrialRow[];
}

/** The number of runs was not fixed beforehand; what is always valid is valid for them too. */
export function storedSubject({ comparison, scenario, input, rows, ...known }: StoredRuns): Subject {
  const measure = "preferred";
  const levels = { alpha: ALPHA, margin: MARGIN, not_worse_by: NOT_WORSE_BY[measure] };
  const control_side = controlSide(known.arms);
  return {
    told: {
      series_id: `cmp-${comparison}`,
      kind: "stored",
      state: rows.every(({ state }) => isFinal(state)) ? "completed" : "running",
      ...{ stop: null, failure: null, plan: null, plan_digest: null, limits: null, changes: [] },
      ...{ created_at: null, finished_at: null, levels, control: known.arms[control_side] },
    },
    scenarios: [{ scenario, ...withInputId(input), digest: null, comparison }],
    ...{ ...known, levels, measure, control_side, arms_differ: false },
  };
}

/** Where imported results are stored, and since when; absent: they are not. */
export interface ImportedAs {
  readonly series_id: string;
  readonly created_at?: string | null;
  /** The arm that the other one is compared with. Absent: by its name, else the first. */
  readonly control?: string;
  /** What the author of a change could have edited. Absent: nothing is known. */
  readonly inputs_from_checkout?: Series["inputs_from_checkout"];
}

/** The subject of imported results, which abeval neither ran nor judged. */
export function importedSubject(
  { arms, levels: given, measure, tie_margin, scenarios, columns, cluster }: ImportedResults,
  { series_id, created_at = null, control, inputs_from_checkout }: ImportedAs,
): Subject {
  const control_side = controlSide(arms, control);
  const taken = measure === "passed" ? "solved" : measure;
  const levels = { not_worse_by: NOT_WORSE_BY[taken], ...given };
  const names = scenarios.map(({ scenario }) => comparedValue(scenario));
  const repeated_rows = repeatingRows(names, cluster?.of_row).length;
  return {
    told: {
      ...{
        series_id,
        kind: "results",
        state: "completed",
        imported: { measure, tie_margin, ...(cluster && { cluster }) },
      },
      ...{ levels, control: arms[control_side] },
      ...{ stop: null, failure: null, plan: null, plan_digest: null, limits: null, changes: [] },
      ...{ created_at, finished_at: created_at },
      ...(columns && { columns }),
      ...(repeated_rows > 0 && { repeated_rows }),
      ...(inputs_from_checkout && { inputs_from_checkout }),
    },
    scenarios: scenarios.map(({ scenario }) => ({ scenario, digest: null, comparison: "" })),
    ...clustered(levels, cluster),
    ...{ arms, judge_model: "", scripted: false, arms_differ: false, measure: taken, control_side },
  };
}

/** What the trials are of, for a sentence. */
export function scenariosText({
  scenarios,
  cluster,
  levels,
}: Pick<Subject, "scenarios" | "cluster" | "levels">): string {
  const [first] = scenarios;
  if (cluster !== undefined)
    return `these ${clustersText({ field: cluster, count: unitCount(levels.clusters, scenarios.length) })}`;
  if (first === undefined || scenarios.length === 1) return first ? memberName(first) : "no scenario";
  const names = new Set(scenarios.map(({ scenario }) => scenario));
  const many = counted(scenarios.length, memberWord(scenarios));
  return names.size === 1 ? `these ${many} of ${first.scenario}` : `these ${many}`;
}
