import type { Baseline } from "../../domain/baseline.ts";
import { didYouMeanAmong } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { memberName } from "../../domain/member.ts";
import { counted } from "../../domain/number-text.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import { sha256 } from "../../domain/sha256.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { WatchReport } from "../../domain/watch.ts";
import { armsOf, type Night, type Watched, watchedIn, watchReach, watchReport } from "../../statistics/watch.ts";
import type { SessionStore } from "../../store/store.ts";
import { type SeriesSource, seriesSource } from "../planning/prepare-series.ts";
import { type LoadedScenario, oneMember } from "../scenario/loaded-scenario.ts";
import { hasMaterials } from "../scenario/pack.ts";
import type { ScenarioCatalog } from "../scenario/scenario-catalog.ts";
import { storedBaseline } from "./baseline.ts";

/** An arm of a stored series whose later runs are compared with its runs there. All of it is read from the store. */
export interface Watch {
  readonly reference: SeriesRecord;
  readonly rows: readonly TrialRow[];
  readonly arm: string;
  readonly watched: Watched;
  /** Oldest first. */
  readonly nights: readonly Night[];
}

/**
 * @param arm absent: the candidate
 * @throws Failure `unknown_series`, `unknown_arm`, `invalid_request` where a night would tell nothing, or one still runs
 */
export async function openWatch(
  store: SessionStore,
  series_id: string,
  { arm: named, one_in }: { readonly arm: string | undefined; readonly one_in: number },
): Promise<Watch> {
  const reference = await referenceIn(store, series_id);
  const arm = armOf(reference, named);
  const rows = await store.trials({ series_id });
  const watched = watchedIn(reference, rows, arm);
  if (watched === undefined)
    throw new Failure("invalid_request", `${series_id} has no complete round: run a series of at least 30 trials`);
  if (watchReach(watched, one_in) === null)
    throw new Failure(
      "invalid_request",
      `${series_id} has too few runs of ${arm}, or ${arm} did too little there: with ${counted(watched.rounds, "round")} of ${counted(watched.tasks, "task")} not even a fall to nothing would be told in 30 nights; run a longer reference, with --trials`,
    );
  const nights = await nightsOf(store, reference, arm);
  const running = nights.find(({ record }) => record.state === "running");
  if (running)
    throw new Failure("invalid_request", `a night of this watch is still running (${running.record.series_id})`);
  return { reference, rows, arm, watched, nights };
}

async function referenceIn({ series }: SessionStore, series_id: string): Promise<SeriesRecord> {
  const record = await series.read(series_id);
  if (record === undefined)
    throw new Failure(
      "unknown_series",
      `there is no series "${cut(series_id)}" here; a reference that was deleted cannot be watched: run a new one with abeval run --trials`,
    );
  if (record.state === "running")
    throw new Failure("invalid_request", `${series_id} is still running: watch it when it has ended`);
  if (record.watch)
    throw new Failure(
      "invalid_request",
      `${series_id} is a night of a watch: name its reference, ${record.watch.reference}`,
    );
  if (record.plan.contest)
    throw new Failure(
      "invalid_request",
      `${series_id} is a contest; a watch needs a series of two arms: run one of the arm with what it is compared with`,
    );
  if (record.plan.baseline)
    throw new Failure(
      "invalid_request",
      `${series_id} has a baseline, so one of its arms did not run in it; watch a series of which both arms ran`,
    );
  return record;
}

function armOf(reference: SeriesRecord, named: string | undefined): string {
  const { a, b, candidate } = armsOf(reference);
  if (named === undefined || named === a || named === b) return named ?? candidate;
  const known = [a, b];
  throw new Failure(
    "unknown_arm",
    `${reference.series_id} has no arm "${cut(named)}"${didYouMeanAmong(named, known, `its arms: ${known.join(", ")}`)}`,
  );
}

async function nightsOf(store: SessionStore, { series_id }: SeriesRecord, arm: string): Promise<readonly Night[]> {
  const listed = (await store.series.list()).filter(({ watch }) => watch === series_id);
  const nights: Night[] = [];
  for (const { series_id: id } of listed) {
    const record = await store.series.read(id);
    if (record?.watch?.arm === arm) nights.push({ record, rows: await store.trials({ series_id: id }) });
  }
  return nights.sort((one, other) => (one.record.watch?.night ?? 0) - (other.record.watch?.night ?? 0));
}

/** What the next night can tell, and what a reader should know of the one before. */
export function nightNotices(
  { watched, nights }: Watch,
  { one_in, now }: { readonly one_in: number; readonly now: Date },
) {
  const reach = watchReach(watched, one_in) ?? "";
  const last = nights.at(-1)?.record.created_at;
  const hours = last === undefined ? 0 : Math.floor((now.getTime() - Date.parse(last)) / 3_600_000);
  if (hours < MISSED_HOURS) return [reach];
  return [reach, `the night before ran ${hours} hours ago: one that was missed says nothing, and the count goes on`];
}

const MISSED_HOURS = 36;

/** What a night is made of, and how the series is asked for. */
export interface NightSource {
  readonly source: SeriesSource;
  readonly options: {
    readonly trials: 1;
    readonly seed: string;
    readonly judge_model: string;
    readonly measure: NonNullable<SeriesRecord["plan"]["measure"]>;
    readonly control: string;
    readonly model_override?: string;
    readonly cluster?: string;
  };
}

/**
 * One round of the arm, each trial against a stored run of the other arm, which is drawn by the night's number.
 * @param catalog where scenarios are found whose files are not in the store
 * @throws Failure `unknown_scenario`, `invalid_scenario`, `invalid_request` where a scenario is not what the reference ran
 */
export async function nextNight(store: SessionStore, watch: Watch, catalog: ScenarioCatalog): Promise<NightSource> {
  const { reference, arm, watched, nights } = watch;
  const { series_id, plan } = reference;
  const night = (nights.at(-1)?.record.watch?.night ?? 0) + 1;
  const baseline = await storedBaseline(store, series_id);
  const scenarios: LoadedScenario[] = [];
  for (const { digest, ...member } of plan.scenarios) {
    const stored = baseline.members.get(memberName(member));
    if (stored) scenarios.push(await loadedAs({ digest, definition: stored.definition }, catalog, series_id));
  }
  const { measure = "preferred", model_override, judge_model, cluster } = plan;
  return {
    source: {
      ...seriesSource(scenarios),
      baseline: { ...drawn(baseline, `${series_id} ${arm} ${night}`), side: watched.side === "a" ? "b" : "a" },
      watch: { reference: series_id, arm, night },
    },
    options: {
      ...{ trials: 1, seed: `${plan.seed} ${arm} ${night}`.slice(0, 100), judge_model, measure },
      control: armsOf(reference).control,
      ...(model_override !== null && { model_override }),
      ...(cluster && { cluster: cluster.field }),
    },
  };
}

/** One of the stored runs of each member, as chance has it. */
function drawn(baseline: Baseline, seed: string): Baseline {
  const members = baseline.members.entries().map(([name, member]) => {
    const at = Number.parseInt(sha256(`${seed} ${name}`).slice(0, 8), 16) % member.runs.length;
    return [name, { ...member, runs: member.runs.slice(at, at + 1) }] as const;
  });
  return { ...baseline, members: new Map(members) };
}

async function loadedAs(
  { definition, digest }: { readonly definition: Scenario; readonly digest: string },
  catalog: ScenarioCatalog,
  reference: string,
): Promise<LoadedScenario> {
  const { name, input } = definition;
  if (!hasMaterials(definition)) return { definition, digest, file: name, directory: "/" };
  const found = await catalog.get(name).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    const why = `${name} has files that are not in the store, and ${error.message}; say with --scenarios-dir where ${reference} found them`;
    throw new Failure(error.code, why, { cause: error });
  });
  const loaded = await oneMember(found, input?.id);
  if (loaded.digest === digest) return loaded;
  throw new Failure(
    "invalid_scenario",
    `${loaded.file} is not what ${reference} ran: an arm, the task or the rubric changed, and that is another comparison; restore it, or run a new reference`,
  );
}

/** Where the watch stands with its new night. @param record of the night, which has ended */
export async function afterNight(
  store: SessionStore,
  watch: Watch,
  { record, one_in }: { readonly record: SeriesRecord; readonly one_in: number },
): Promise<WatchReport> {
  const tonight = { record, rows: await store.trials({ series_id: record.series_id }) };
  return watchReport({ ...watch, nights: [...watch.nights, tonight] }, one_in);
}
