import { Purse } from "../../../arms/model/purse.ts";
import type { SeriesRecord } from "../../../domain/series-record.ts";
import { isFinal } from "../../../domain/session-state.ts";
import { givesResult, type TrialRow } from "../../../domain/trial.ts";
import { collectGarbage } from "../../../runtime/collect-garbage.ts";
import type { TrialSpec } from "../../../statistics/advance.ts";
import { type AdvanceInput, trialsBorne } from "../../../statistics/advance.ts";
import { costOfTrial } from "../../../statistics/costs.ts";
import type { SessionStore } from "../../../store/store.ts";
import type { SeriesSetup } from "../../planning/prepare-series.ts";
import type { StartedSession } from "../started-session.ts";
import { untilEnded } from "../workers/await-end.ts";

/** The trials of a series as this process knows them: how many run, what became of the others, and how many must end next. */
export class KnownTrials {
  /** Those that were started or followed here, in the order of creation. */
  readonly sessions: string[] = [];
  readonly #costs: SeriesCosts;
  readonly #store: SessionStore;
  readonly #open = new Map<string, Promise<void>>();
  /** Trials that may have ended in the store already. One that cannot be the last has what resolves when it is over. */
  readonly #ending = new Map<string, PromiseWithResolvers<void> | null>();
  /** Those that run are as they began. */
  readonly #rows = new Map<string, TrialRow>();
  /** Those that are about to end, with their verdicts. */
  readonly #judged = new Map<string, TrialRow>();
  /** Trials of this start that are over, and of which the rows are not read yet. */
  readonly #over = new Set<string>();
  /** Trials of this start that are over. */
  #ended = 0;
  #changed = Promise.withResolvers<void>();
  /** USD that a trial may spend of which it is not known yet what it cost. */
  readonly #granted = new Map<string, number>();
  /** So many trials must end before anything new can be said. 0: it must be looked at. */
  behind = 0;

  constructor(store: SessionStore, trial_cost: SeriesSetup["trial_cost"]) {
    this.#store = store;
    this.#costs = new SeriesCosts(trial_cost);
  }

  /** What is known of all of them. */
  get rows(): readonly TrialRow[] {
    return [...this.#rows.values()];
  }

  /** What is known of all of them, and of one that is about to end: it counts from now on for those that end after it. */
  readonly ending = (own: TrialRow): readonly TrialRow[] => {
    this.#judged.set(own.session_id, { ...own, state: "completed" });
    return [...new Map([...this.#rows, ...this.#judged]).values()];
  };

  get open(): ReadonlyMap<string, Promise<void>> {
    return this.#open;
  }

  get ended(): number {
    return this.#ended;
  }

  /**
   * Whether a trial that is about to end may be the last that must end before anything new can be said. A yes comes when
   * every trial is over that was told no.
   */
  async endsLast(session_id: string): Promise<boolean> {
    const before = [...this.#ending.values()];
    this.#ending.set(session_id, null);
    if (this.behind > this.#ending.size + this.#over.size) {
      this.#ending.set(session_id, Promise.withResolvers());
      return false;
    }
    await Promise.all(before.map((told) => told?.promise));
    return true;
  }

  get money(): SeriesCosts["money"] {
    return this.#costs.money;
  }

  /** What pays for each call of the trials that run here. Those that were begun before count as they ended. */
  purse(max_cost_usd: number): Purse {
    return this.#costs.openPurse(max_cost_usd);
  }

  /**
   * USD that a trial may spend which another process runs: all such trials together stay within the limit. Undefined as long as
   * others may need what is left.
   */
  share(max_cost_usd: number): number | undefined {
    const granted = [...this.#granted.values()].reduce((sum, usd) => sum + usd, 0);
    const left_usd = max_cost_usd - this.money.spent_usd - granted;
    const most_usd = this.#costs.bound_usd ?? left_usd;
    return this.#granted.size > 0 && left_usd < most_usd ? undefined : Math.min(left_usd, most_usd);
  }

  /** What was planned and can start now; undefined where it must be looked at again. */
  startable(planned: readonly TrialSpec[], limits: SeriesRecord["limits"]): readonly TrialSpec[] | undefined {
    if (this.behind === 0) return undefined;
    const open = this.#open.size;
    const wanted = planned.slice(0, Math.max(0, limits.parallel - open));
    const isOver = wanted.length === 0 && open === 0;
    return isOver || this.#costs.borne(limits.max_cost_usd, open) < wanted.length ? undefined : wanted;
  }

  /** Resolves at the next trial, or with `close`. */
  next(): Promise<void> {
    return this.#changed.promise;
  }

  close(): void {
    this.#changed.resolve();
  }

  /** Trials that run already are those of whoever ran the series before. */
  takeUp(rows: readonly TrialRow[]): void {
    for (const row of rows) this.#know(row);
    const open = rows.filter(({ state }) => !isFinal(state));
    for (const { session_id } of open) {
      this.#ending.set(session_id, null);
      this.#granted.set(session_id, this.#costs.bound_usd ?? 0);
      this.#follow(session_id, untilEnded(this.#store, session_id));
    }
  }

  /** Starts one, and follows it to its end. @param share_usd what it may spend for itself; absent: it has no limit of its own */
  async begin(start: () => Promise<StartedSession>, share_usd?: number): Promise<void> {
    const { session_id, done } = await start();
    if (share_usd !== undefined) this.#granted.set(session_id, share_usd);
    this.#follow(session_id, done);
    const [row] = await this.#store.trials({ session_id });
    if (row) this.#rows.set(session_id, row);
  }

  /** Reads what became of those that are over. One that did not end as it should may change what comes next. */
  async readOver(): Promise<void> {
    for (const session_id of [...this.#over]) {
      const [row] = await this.#store.trials({ session_id });
      if (row) this.#know(row);
      else this.#rows.delete(session_id);
      this.#over.delete(session_id);
      this.#judged.delete(session_id);
      this.#granted.delete(session_id);
      this.behind = row && givesResult(row) ? Math.max(0, this.behind - 1) : 0;
    }
  }

  #know(row: TrialRow): void {
    this.#rows.set(row.session_id, row);
    if (isFinal(row.state)) this.#costs.add(row);
  }

  #follow(session_id: string, done: Promise<unknown>): void {
    const ended = done.then(ignored, ignored).then(() => {
      this.#open.delete(session_id);
      this.#ending.get(session_id)?.resolve();
      this.#ending.delete(session_id);
      this.#over.add(session_id);
      this.#ended += 1;
      if (this.#ended % TRIALS_OF_GARBAGE === 0) collectGarbage();
    });
    this.#open.set(session_id, ended);
    this.sessions.push(session_id);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Trials that leave some 10 MB of old garbage. */
const TRIALS_OF_GARBAGE = 500;

const ignored = () => undefined;

/** What the trials of a series cost so far, and how many more its limit bears. */
class SeriesCosts {
  readonly #trial: SeriesSetup["trial_cost"];
  #usd = 0;
  /** The cost of the completed trials of which it is known. */
  #known_usd = 0;
  #known = 0;
  #purse: Purse | undefined;

  constructor(trial: SeriesSetup["trial_cost"]) {
    this.#trial = trial;
  }

  /** The most that one trial can cost, USD; null where that is unknown. */
  get bound_usd(): number | null {
    return this.#trial.bound_usd;
  }

  /** Adds a trial that has ended. */
  add(row: TrialRow): void {
    const usd = costOfTrial(row);
    this.#usd += usd ?? this.#trial.bound_usd ?? 0;
    if (row.state !== "completed" || usd === null) return;
    this.#known_usd += usd;
    this.#known += 1;
  }

  /** How many more trials the limit bears beside those that are open. */
  borne(max_cost_usd: number | null, open: number): number {
    if (max_cost_usd === null) return Number.POSITIVE_INFINITY;
    const mean_usd = this.#known > 0 ? this.#known_usd / this.#known : null;
    return trialsBorne(max_cost_usd, { ...this.money, mean_usd, open });
  }

  /** What a purse pays for is known to the call; without one a trial of unknown cost counts at its bound. */
  get #spent_usd(): number {
    return this.#purse?.spent_usd ?? this.#usd;
  }

  /** What pays for each call from now on: what was spent before counts. */
  openPurse(max_cost_usd: number): Purse {
    this.#purse ??= new Purse(max_cost_usd, this.#usd);
    return this.#purse;
  }

  get money(): Pick<AdvanceInput, "spent_usd" | "estimate_usd"> {
    return { spent_usd: this.#spent_usd, estimate_usd: this.#trial.likely_usd };
  }
}
