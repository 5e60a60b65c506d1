import { MAX_TRIALS_IN_ALL, type SeriesPlan, type SeriesRecord } from "../../domain/series-record.ts";
import type { Conclusion, SeriesSummary } from "../../domain/series-summary.ts";
import type { TrialPlace } from "../../domain/session.ts";
import { judgedRow, type TrialRow } from "../../domain/trial.ts";
import type { Verdict } from "../../domain/verdict.ts";
import { breathe } from "../../runtime/pace.ts";
import { pairView } from "../../statistics/contest.ts";
import { conclusionsAhead, standingOf, summaryOf } from "../../statistics/standing.ts";
import type { SessionStore } from "../../store/store.ts";
import type { Trial } from "./run-session.ts";

type Trials = Pick<SessionStore, "trials">;

/**
 * All stored runs of the comparisons of a plan, whoever ran them, each in the order of creation: the first ones, so many as a
 * series holds.
 */
export async function storedRuns(store: Trials, { scenarios }: SeriesPlan): Promise<readonly TrialRow[]> {
  const comparisons = [...new Set(scenarios.map(({ comparison }) => comparison))];
  const limit = Math.floor(MAX_TRIALS_IN_ALL / comparisons.length);
  const rows: TrialRow[] = [];
  for (let start = 0; start < comparisons.length; start += AT_ONCE) {
    const some = comparisons.slice(start, start + AT_ONCE);
    rows.push(...(await Promise.all(some.map((comparison) => store.trials({ comparison, limit })))).flat());
    await breathe();
  }
  return rows;
}

/** Comparisons that are asked for before others have their turn. */
const AT_ONCE = 50;

/** Reads what others ran when it matters to a series: once its own trials conclude something, and until all confirm that. */
export class OtherRuns {
  readonly #store: Trials;
  #confirmed: Conclusion = "undecided";
  /** Trials that end at once share one look. */
  #reading: Promise<readonly TrialRow[]> | undefined;

  constructor(store: Trials) {
    this.#store = store;
  }

  /** Stored runs of the series' comparisons; none where they have no say. @param rows of all its trials */
  async beside(series: SeriesRecord, rows: readonly TrialRow[]): Promise<readonly TrialRow[]> {
    if (await this.#isSettled(series, rows)) return [];
    this.#reading ??= storedRuns(this.#store, series.plan).finally(() => {
      this.#reading = undefined;
    });
    const stored = await this.#reading;
    await breathe();
    this.#confirmed = standingOf(series, rows, stored).conclusion;
    await breathe();
    return stored;
  }

  async #isSettled(series: SeriesRecord, rows: readonly TrialRow[]): Promise<boolean> {
    for (const found of conclusionsAhead(series, rows)) {
      if (found !== "undecided" && found !== this.#confirmed) return false;
      await breathe();
    }
    return true;
  }
}

interface OfSeries {
  readonly place: TrialPlace;
  readonly others: OtherRuns;
  readonly store: Pick<SessionStore, "trials">;
  /** All trials of the series as they are known; those that run may have ended meanwhile. */
  readonly rows: () => readonly TrialRow[] | Promise<readonly TrialRow[]>;
  /** Where the series stands, where this trial cannot change it; undefined where it can. */
  readonly unmoved?: (session_id: string) => Promise<Omit<SeriesSummary, "trial"> | undefined>;
}

/** A run as a trial of the series whose record is at hand. */
export const trialOfSeries = (
  record: () => SeriesRecord,
  { place, others, store, rows, unmoved }: OfSeries,
): Trial => ({
  place,
  async summary(session_id, verdict) {
    const before = await unmoved?.(session_id);
    if (before && verdict.outcome !== "invalid") return { ...before, trial: place.trial };
    const own = ownRow(await store.trials({ session_id }), session_id, verdict);
    const beside = (await rows()).filter((row) => row.session_id !== session_id);
    const stored = await others.beside(record(), [...beside, { ...own, state: "completed" }]);
    return (trials) => summaryOf(record(), trials, { own: ownRow(trials, session_id, verdict), stored });
  },
});

interface OfContest extends Pick<OfSeries, "place" | "store"> {
  /** All that is known with the verdict of a row that is about to end. Its sessions end in this process. */
  readonly ending: (own: TrialRow) => readonly TrialRow[];
}

/** A run as a trial of a contest: its verdict says where its pair stands. */
export const trialOfContest = (record: () => SeriesRecord, { place, store, ending }: OfContest): Trial => ({
  place,
  async summary(session_id, verdict) {
    const own = ownRow(await store.trials({ session_id }), session_id, verdict);
    const { pair = 0 } = place;
    const { series, rows } = pairView(record(), ending(own), pair);
    await breathe();
    return summaryOf(series, rows, { own: rows.find((row) => row.session_id === session_id) ?? own });
  },
});

/** The trial's row with the verdict that is about to be stored. */
function ownRow(trials: readonly TrialRow[], session_id: string, verdict: Verdict): TrialRow {
  const own = trials.find((row) => row.session_id === session_id);
  if (own === undefined) throw new Error(`${session_id} is no trial of its series`);
  return judgedRow(own, verdict);
}
