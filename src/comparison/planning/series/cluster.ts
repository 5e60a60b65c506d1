import { clusterFrom, comparedValue, noCluster, repeatingRows } from "../../../domain/cluster.ts";
import { fieldsOf } from "../../../domain/columns.ts";
import { didYouMeanAmong } from "../../../domain/did-you-mean.ts";
import { cut } from "../../../domain/excerpt.ts";
import { Failure } from "../../../domain/failure.ts";
import type { SeriesCluster, SeriesPlan } from "../../../domain/series-record.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { Pace } from "../../../runtime/pace.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { commonAsk } from "./measure.ts";

/**
 * What the plan says of clusters: by the column that was asked for, else as the series that goes on, else as its scenarios ask. Rows of
 * several scenarios with one value are one cluster.
 * @throws Failure `invalid_request` where some row is in none, or all are in one
 */
export function plannedCluster(
  scenarios: readonly LoadedScenario[],
  asked: string | undefined,
  before: SeriesPlan | undefined,
): Pick<SeriesPlan, "cluster"> {
  const field = asked ?? (before ? before.cluster?.field : askedIn(scenarios));
  if (field === undefined) return {};
  const rows = scenarios.map(({ definition }) => definition);
  const fields = fieldsOf(rows).filter((name) => name !== "id");
  const bare = scenarios.find(({ definition }) => definition.input === undefined);
  if (bare)
    throw refused(
      `${bare.file} has no inputs, and so no column "${cut(field)}"; run it apart, or leave out cluster (--cluster)`,
    );
  if (!fields.includes(field))
    throw refused(
      `there is no column "${cut(field)}"${didYouMeanAmong(field, fields, `the columns are ${cut(fields.join(", "), 300)}`)}`,
    );
  const texts = rows.map(({ input }) => comparedValue(input?.values[field]));
  const empty = scenarios[texts.indexOf("")];
  if (empty) throw refused(`${empty.row_place ?? empty.file}: ${noCluster(empty.definition.input?.id ?? "", field)}`);
  const cluster = clusterFrom(field, texts);
  if (typeof cluster === "string") throw refused(cluster);
  return { cluster };
}

/** Rows that give both arms and all checks what another row gives them. */
export interface RepeatedRows {
  readonly ids: readonly string[];
  /** The column that tells most rows apart; clusters by it hold such rows together. Undefined: there is no column but the id. */
  readonly field: string | undefined;
}

/** Null where each row asks something else. */
export async function repeatedRows(
  scenarios: readonly LoadedScenario[],
  cluster?: SeriesCluster,
): Promise<RepeatedRows | null> {
  const pace = new Pace();
  const texts: string[] = [];
  for (const { definition } of scenarios) {
    const { input: _, ...filled } = definition;
    const text = comparedValue(filled);
    texts.push(sha256(text));
    await pace.units(text.length);
  }
  const repeating = repeatingRows(texts, cluster?.of_row);
  if (repeating.length === 0) return null;
  const rows = scenarios.map(({ definition }) => definition);
  const kinds = fieldsOf(rows)
    .filter((field) => field !== "id")
    .map((field) => ({ field, kinds: new Set(rows.map(({ input }) => comparedValue(input?.values[field]))).size }));
  const [finest] = kinds.sort((one, other) => other.kinds - one.kinds);
  return { ids: repeating.map((place) => rows[place]?.input?.id ?? ""), field: finest?.field };
}

/** A single row is no cluster, whatever its file asks for. */
const askedIn = (scenarios: readonly LoadedScenario[]): string | undefined =>
  scenarios.length > 1
    ? commonAsk(
        scenarios.map((loaded) => ({ loaded })),
        "cluster",
      )
    : undefined;

const refused = (what: string) =>
  new Failure("invalid_request", `cluster (--cluster): ${what}`, { details: { field: "cluster" } });
