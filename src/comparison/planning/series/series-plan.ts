import type { Baseline } from "../../../domain/baseline.ts";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { Failure } from "../../../domain/failure.ts";
import {
  ALPHA,
  SERIES_PROTOCOL,
  type SeriesBaseline,
  type SeriesPlan,
  type SeriesRecord,
} from "../../../domain/series-record.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { nameInSeries, type PlannedMember } from "./planned-member.ts";

interface PlanOptions {
  readonly margin: number;
  readonly model_override: string | undefined;
  readonly seed: string | undefined;
  readonly baseline: Baseline | undefined;
  /** What the series that goes on names its stored runs. */
  readonly before: string | undefined;
}

/** @throws Failure `invalid_request` when the scenarios name different judges */
export function seriesPlan(
  planned: readonly PlannedMember[],
  { margin, model_override, seed, baseline, before }: PlanOptions,
): SeriesPlan {
  const judges = new Set(planned.map(({ judge_model }) => judge_model));
  const [judge_model = "", other] = judges;
  if (other !== undefined)
    throw new Failure(
      "invalid_request",
      `the scenarios name different judges (${[...judges].join(", ")}), and a series has one; choose it with judge_model (--judge-model)`,
      { details: { field: "judge_model" } },
    );
  const [first] = planned as [PlannedMember]; // a series has one at least
  const [a, b] = first.loaded.definition.arms;
  const unseeded = {
    protocol: SERIES_PROTOCOL,
    scenarios: planned.map((one) => one.planned),
    arms: [a.id, b.id],
    judge_model,
    model_override: model_override ?? null,
    alpha: ALPHA,
    margin,
    scripted: planned.some(({ scripted }) => scripted),
    ...(baseline && { baseline: baselineOf(planned, baseline, before) }),
    arms_differ: planned.some(({ like_first }) => !like_first),
  };
  // The seed comes from what is equal on every machine, so that a tour of scripts goes the same way everywhere.
  const digests = planned.map(({ loaded }) => loaded.digest);
  return { ...unseeded, seed: seed ?? sha256(digests.join("\n")).slice(0, SEED_DIGITS) };
}

const SEED_DIGITS = 16;

/** The refusal of a series that would go on with another plan. */
export function otherPlan(
  { series_id, plan: before }: SeriesRecord,
  plan: SeriesPlan,
  planned: readonly PlannedMember[],
): Failure {
  const differing = (Object.keys(plan) as (keyof SeriesPlan)[]).filter(
    (key) => canonicalJson(plan[key]) !== canonicalJson(before[key]),
  );
  const told = differing.map((key) => (key === "scenarios" ? key + changedIn(before, planned) : key));
  return new Failure(
    "invalid_request",
    `continue: ${series_id} has another plan (${told.join(", ")}); continue a series with the same scenarios, arms, judge and margin, or start a new one`,
    { details: { field: "continue", differing } },
  );
}

/** The scenarios that are others than before. Where the work is the answer, that may be the change. */
function changedIn({ scenarios }: SeriesPlan, planned: readonly PlannedMember[]): string {
  const digests = new Set(scenarios.map(({ digest }) => digest));
  const changed = planned.filter(({ loaded }) => !digests.has(loaded.digest));
  const names = changed.map(
    ({
      loaded: {
        definition: { name, task },
      },
    }) => (task.answer ? `${name}, whose work is the answer` : name),
  );
  return names.length === 0 ? "" : `: ${names.join(", ")}`;
}

/** @throws Failure `invalid_request` where different arms would stand in */
function baselineOf(
  planned: readonly PlannedMember[],
  { digest: now, earlier_digests, series_id, at, stopped, preferred, members }: Baseline,
  before: string | undefined,
): SeriesBaseline {
  const sides = new Set(planned.flatMap(({ stored_side }) => stored_side ?? []));
  const [side, other] = sides;
  if (side === undefined || other !== undefined)
    throw new Failure(
      "invalid_request",
      other === undefined
        ? `baseline ${series_id} has no complete run`
        : `baseline ${series_id}: its runs would stand in for one arm in some scenarios and for the other in others; compare these scenarios apart`,
      { details: { field: "baseline" } },
    );
  const runs = Math.min(...planned.map(({ loaded }) => members.get(nameInSeries(loaded))?.runs.length ?? 0));
  const selected = stopped || preferred !== null;
  const digest = before !== undefined && earlier_digests.includes(before) ? before : now;
  const same_model = planned.every((one) => one.same_model);
  return { digest, series_id, at, side, runs, ...(selected && { selected }), ...(same_model && { same_model }) };
}
