import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../domain/failure.ts";
import type { SeriesRecord } from "../../../domain/series-record.ts";
import type { SeriesSummary } from "../../../domain/series-summary.ts";
import { isFinal } from "../../../domain/session-state.ts";
import { givesResult, type TrialRow } from "../../../domain/trial.ts";
import { advance, type TrialSpec } from "../../../statistics/advance.ts";
import { standingOf, summaryBehind } from "../../../statistics/standing.ts";
import { isLoss } from "../../../store/store.ts";
import type { SeriesSetup } from "../../planning/prepare-series.ts";
import type { SeriesInFlight } from "../../planning/register.ts";
import type { SessionServices } from "../../planning/services.ts";
import { cancelAnywhere } from "../cancel.ts";
import { OtherRuns } from "../other-runs.ts";
import { untilEnded } from "../shared/await-end.ts";
import { startSession } from "../start-session.ts";
import { SeriesCosts } from "./series-costs.ts";
import { haltedBy, refusedBy, SERIES_INTERRUPTED, type SeriesEnd, stoppedBy } from "./series-end.ts";
import { trialOfSeries } from "./trial-of-series.ts";

interface Begun {
  readonly record: SeriesRecord;
  /** The last trial of an earlier start; absent: of all that are there. */
  readonly begun_after?: number;
}

/** Starts what `advance` says, and asks it again whenever a trial ends: what a series does follows from its stored trials alone. */
export class RunningSeries implements SeriesInFlight {
  readonly series_id: string;
  readonly sessions: string[] = [];
  readonly done: Promise<SeriesRecord>;
  readonly #services: SessionServices;
  readonly #prepare: SeriesSetup["prepare"];
  readonly #open = new Map<string, Promise<void>>();
  /** Trials that were begun and are not in `#open` yet. */
  #starting = 0;
  readonly #halted = new AbortController();
  /** What is known of its trials; those that run are as they began. */
  readonly #rows = new Map<string, TrialRow>();
  /** Trials of this start that are over, and of which the rows are not read yet. */
  readonly #over = new Set<string>();
  /** Planned when it was looked at last; a trial that ends as it should changes nothing of it. */
  #next: readonly TrialSpec[] = [];
  /** So many trials must end before anything new can be said. 0: it must be looked at. */
  #behind = 0;
  readonly #costs: SeriesCosts;
  #unmoved: (() => Omit<SeriesSummary, "trial">) | undefined;
  /** Trials of this start that are over. */
  #ended = 0;
  /** The last trial of an earlier start; undefined: of all that are there. */
  #begunAfter: number | undefined;
  #record: SeriesRecord;
  /** How it ends, as soon as that is known; trials that run go on. */
  #end: SeriesEnd | undefined;
  #changed = Promise.withResolvers<void>();
  readonly #others: OtherRuns;
  /** Somebody else goes on with it. */
  #left = false;
  readonly #leaving = Promise.withResolvers<void>();

  /** The series does not keep the planned members: there may be thousands. */
  constructor(services: SessionServices, { prepare, estimate_usd }: SeriesSetup, { record, begun_after }: Begun) {
    this.#services = services;
    this.#prepare = prepare;
    this.#costs = new SeriesCosts(estimate_usd);
    this.#record = record;
    this.#begunAfter = begun_after;
    this.#others = new OtherRuns(services.store);
    this.series_id = record.series_id;
    this.done = this.#run();
  }

  get open(): ReadonlySet<string> {
    return new Set(this.#open.keys());
  }

  next(): Promise<void> {
    return this.#changed.promise;
  }

  halt(reason: Failure): void {
    this.#halted.abort(reason);
  }

  cancel(reason: Failure): void {
    this.halt(reason);
    for (const session_id of this.#open.keys()) this.#cancelTrial(session_id, reason);
  }

  /** Ends here without a word: its trials go on, and `done` resolves with what is known. */
  leave(): void {
    this.#left = true;
    this.halt(LEFT);
    this.#leaving.resolve();
  }

  #cancelTrial(session_id: string, reason: Failure): void {
    const { runs, shared } = this.#services;
    const run = runs.live(session_id);
    if (run) run.cancel(reason);
    else if (shared) void cancelAnywhere(this.#services, shared, session_id).catch(ignored);
  }

  async #run(): Promise<SeriesRecord> {
    try {
      const end = await this.#conduct().catch((error: unknown) => this.#broken(error));
      if (this.#left) return this.#record;
      return await this.#keep({ ...end, finished_at: this.#services.clock.now().toISOString() });
    } finally {
      this.#services.series.delete(this.series_id);
      this.#changed.resolve();
    }
  }

  async #conduct(): Promise<SeriesEnd> {
    this.#takeUp(await this.#services.store.trials({ series_id: this.series_id }));
    for (;;) {
      const ended = this.#ended;
      await this.#readOver();
      const goesOn = await this.#goOn(ended > 0);
      // What ended meanwhile is not in these rows.
      if (this.#ended > ended) continue;
      if (this.#left) return SERIES_INTERRUPTED;
      if (this.#open.size > 0) await Promise.race([...this.#open.values(), this.#leaving.promise]);
      else if (this.#end) return this.#end;
      else if (!goesOn) throw new Error("a series neither ends nor goes on");
    }
  }

  /** Trials that run already are those of whoever ran the series before. */
  #takeUp(rows: readonly TrialRow[]): void {
    this.#begunAfter ??= Math.max(0, ...rows.map(({ place }) => place?.trial ?? 0));
    for (const row of rows) this.#know(row);
    const open = rows.filter(({ state }) => !isFinal(state));
    for (const { session_id } of open) this.#follow(session_id, untilEnded(this.#services.store, session_id));
  }

  #know(row: TrialRow): void {
    this.#rows.set(row.session_id, row);
    if (isFinal(row.state)) this.#costs.add(row);
  }

  /** Reads what became of the trials that are over. One that did not end as it should may change what comes next. */
  async #readOver(): Promise<void> {
    for (const session_id of [...this.#over]) {
      const [row] = await this.#services.store.trials({ session_id });
      if (row) this.#know(row);
      else this.#rows.delete(session_id);
      this.#over.delete(session_id);
      this.#behind = row && givesResult(row) ? Math.max(0, this.#behind - 1) : 0;
    }
  }

  /** Starts what may start now, which waits for no disk, and keeps what lists show. False when nothing may start. */
  async #goOn(changed: boolean): Promise<boolean> {
    const planned = this.#planned();
    if (planned) return await this.#startPlanned(planned);
    const rows = [...this.#rows.values()];
    const stored = await this.#others.beside(this.#record, rows);
    const kept = changed && this.#keepStanding(standingOf(this.#record, rows, stored));
    if (kept) kept.catch(ignored);
    const goesOn = await this.#look(rows, stored);
    await kept;
    return goesOn;
  }

  /** The record holds all members: it is written only when something else in it changed. */
  async #keepStanding(standing: SeriesRecord["standing"]): Promise<void> {
    if (JSON.stringify(standing) !== JSON.stringify(this.#record.standing)) await this.#keep({ standing });
  }

  /** Plans anew, from all that is known. */
  async #look(rows: readonly TrialRow[], stored: readonly TrialRow[]): Promise<boolean> {
    this.#behind = 0;
    this.#end ??= this.#haltedEnd();
    if (this.#end) return false;
    const { stop, start, next, behind } = await advance(this.#record, rows, {
      ...this.#costs.money,
      begun_after: this.#begunAfter ?? 0,
      stored,
    });
    const record = this.#record;
    let told: Omit<SeriesSummary, "trial"> | undefined;
    this.#unmoved = () => (told ??= summaryBehind(record, rows, stored));
    [this.#next, this.#behind] = [next, behind];
    this.#end = stop === null ? await this.#startAll(start) : stoppedBy(stop, rows);
    return start.length > 0;
  }

  /** What was planned and can start now; undefined where it must be looked at again. */
  #planned(): readonly TrialSpec[] | undefined {
    if (this.#behind === 0 || this.#end || this.#halted.signal.aborted) return undefined;
    const free = Math.max(0, this.#record.limits.parallel - this.#open.size);
    const wanted = this.#next.slice(0, free);
    const isOver = wanted.length === 0 && this.#open.size === 0;
    const borne = this.#costs.borne(this.#record.limits.max_cost_usd, this.#open.size);
    return isOver || borne < wanted.length ? undefined : wanted;
  }

  async #startPlanned(planned: readonly TrialSpec[]): Promise<boolean> {
    this.#next = this.#next.slice(planned.length);
    this.#end = await this.#startAll(planned);
    return planned.length > 0 || this.#open.size > 0;
  }

  /** Ends a series after an error, or leaves it to another process. Its trials never go on without it. */
  async #broken(error: unknown): Promise<SeriesEnd> {
    const failure =
      error instanceof Failure
        ? error
        : new Failure("internal", "an internal error ended the series", { cause: error });
    if (this.#isForOthers(failure)) {
      if (isLoss(failure)) await this.#pause();
      this.leave();
      return SERIES_INTERRUPTED;
    }
    if (failure.code === "internal") this.#services.notice(`${this.series_id}: internal error: ${error}`);
    this.cancel(failure);
    await Promise.all(this.#open.values());
    return { state: "failed", stop: "failed", failure: failure.message };
  }

  /** Another process runs it now, and its trials; or will, when this one cannot write. */
  #isForOthers(failure: Failure): boolean {
    return failure.code === "series_not_running" || (this.#services.shared !== undefined && isLoss(failure));
  }

  /** Trials behind one that found no place are planned anew: an unused number would look like a deleted trial. */
  async #startAll(specs: readonly TrialSpec[]): Promise<SeriesEnd | undefined> {
    for (const spec of specs) {
      const refused = await this.#start(spec);
      if (refused) this.#behind = 0;
      if (refused) return refused === "busy" ? undefined : refused;
    }
    return undefined;
  }

  async #start(spec: TrialSpec): Promise<SeriesEnd | "busy" | undefined> {
    try {
      await this.#begin(spec);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (this.#halted.signal.aborted) return this.#haltedEnd();
      if (this.#isForOthers(error)) throw error;
      const end = refusedBy(error);
      if (end) return end;
      // Others hold all places. Its own trials may end before.
      await Promise.race([...this.#open.values(), this.#pause()]);
      return "busy";
    }
  }

  async #begin(spec: TrialSpec): Promise<void> {
    const { trial, round } = spec;
    const plan = await this.#prepare(spec);
    this.#halted.signal.throwIfAborted();
    const asTrial = trialOfSeries(() => this.#record, {
      ...{ place: { series_id: this.series_id, trial, round }, others: this.#others, store: this.#services.store },
      rows: () => [...this.#rows.values()],
      unmoved: () => this.#standingUnmoved(),
    });
    this.#starting += 1;
    try {
      const { session_id, done } = await startSession(this.#services, plan, asTrial, { user: this.#record.user });
      const [row] = await this.#services.store.trials({ session_id });
      if (row) this.#rows.set(session_id, row);
      this.#follow(session_id, done);
    } finally {
      this.#starting -= 1;
    }
    if (this.#left) return;
    if (this.#halted.signal.aborted) this.cancel(this.#halted.signal.reason);
  }

  #follow(session_id: string, done: Promise<unknown>): void {
    const ended = done.then(ignored, ignored).then(() => {
      this.#open.delete(session_id);
      this.#over.add(session_id);
      this.#ended += 1;
    });
    this.#open.set(session_id, ended);
    this.sessions.push(session_id);
    this.#announce();
  }

  async #pause(): Promise<void> {
    await sleep(BUSY_MS, undefined, { signal: this.#halted.signal }).catch(ignored);
  }

  #announce(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #haltedEnd(): SeriesEnd | undefined {
    if (!this.#halted.signal.aborted) return undefined;
    return haltedBy(this.#halted.signal.reason as Failure);
  }

  /** Where the series stands while no trial that runs, or has ended since it was looked at, can complete a round. */
  #standingUnmoved(): Omit<SeriesSummary, "trial"> | undefined {
    return this.#behind > this.#starting + this.#open.size + this.#over.size ? this.#unmoved?.() : undefined;
  }

  async #keep(change: Partial<SeriesRecord>): Promise<SeriesRecord> {
    this.#record = { ...this.#record, ...change };
    await this.#services.store.series.update(this.#record);
    return this.#record;
  }
}

const LEFT = new Failure("interrupted", "Another process goes on with this series.");

/** Milliseconds until a trial that found no place is tried again. */
const BUSY_MS = 500;

const ignored = () => undefined;
