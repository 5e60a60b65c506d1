import type { SeriesRecord } from "../../../domain/series-record.ts";
import type { SeriesSummary } from "../../../domain/series-summary.ts";
import type { TrialPlace } from "../../../domain/session.ts";
import { isFinal } from "../../../domain/session-state.ts";
import { givesResult, type TrialRow } from "../../../domain/trial.ts";
import { trialsBehind } from "../../../statistics/advance.ts";
import { summaryBehind } from "../../../statistics/standing.ts";
import type { SharedStore } from "../../../store/shared-store.ts";
import { OtherRuns, trialOfSeries } from "../other-runs.ts";
import type { Trial } from "../run-session.ts";

/** Where a series stood when its rows were read. */
interface Look {
  readonly told: Omit<SeriesSummary, "trial">;
  /** So many trials must end before a round is complete. */
  readonly behind: number;
  readonly ended: number;
  readonly lost: number;
}

interface Looked {
  readonly others: OtherRuns;
  readonly look?: Look;
}

/** Series of which a worker remembers where they stood. */
const KEPT = 20;

/**
 * The trials that a worker runs for series elsewhere. It remembers where each series stood when it looked last, so that a trial
 * with which no round can be complete reads no rows: a table has thousands, and as many trials end.
 */
export class SeriesLooks {
  readonly #shared: SharedStore;
  /** By series; the one that was asked for last is the last. */
  readonly #known = new Map<string, Looked>();

  constructor(shared: SharedStore) {
    this.#shared = shared;
  }

  trialAt(place: TrialPlace): Trial {
    const { series_id, trial } = place;
    return {
      place,
      summary: async (session_id, verdict) => {
        const known = this.#known.get(series_id) ?? { others: new OtherRuns(this.#shared) };
        this.#keep(series_id, known);
        const told = verdict.outcome === "invalid" ? undefined : await this.#unmoved(series_id, known);
        if (told) return { ...told, trial };
        const record = await this.#shared.series.read(series_id);
        if (!record) return undefined;
        const rows = await this.#shared.trials({ series_id });
        const { others } = known;
        this.#keep(series_id, { others, look: lookAt(record, rows, await others.beside(record, rows)) });
        const asTrial = trialOfSeries(() => record, { place, others, store: this.#shared, rows: () => rows });
        return await asTrial.summary(session_id, verdict);
      },
    };
  }

  /** Where it stood, unless all that may have ended since then could complete a round, or one was lost. */
  async #unmoved(series_id: string, { look }: Looked): Promise<Look["told"] | undefined> {
    if (!look) return undefined;
    const { trials, lost } = await this.#shared.series.counts(series_id);
    return lost === look.lost && trials - look.ended < look.behind ? look.told : undefined;
  }

  #keep(series_id: string, known: Looked): void {
    this.#known.delete(series_id);
    this.#known.set(series_id, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}

function lookAt(record: SeriesRecord, rows: readonly TrialRow[], stored: readonly TrialRow[]): Look {
  const ended = rows.filter(({ state }) => isFinal(state));
  const lost = ended.filter((row) => !givesResult(row));
  const behind = trialsBehind(record, rows);
  return { told: summaryBehind(record, rows, stored), behind, ended: ended.length, lost: lost.length };
}
