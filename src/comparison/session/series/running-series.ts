import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../domain/failure.ts";
import type { SeriesRecord } from "../../../domain/series-record.ts";
import type { SeriesSummary } from "../../../domain/series-summary.ts";
import type { TrialRow } from "../../../domain/trial.ts";
import { advance, type TrialSpec } from "../../../statistics/advance.ts";
import { advanceContest, KnownPairs } from "../../../statistics/contest.ts";
import { standingOf, summaryBehind } from "../../../statistics/standing.ts";
import { isLoss } from "../../../store/store.ts";
import type { SeriesSetup } from "../../planning/prepare-series.ts";
import type { SessionPlan } from "../../planning/prepare-session.ts";
import type { SeriesInFlight, SessionServices } from "../../planning/services.ts";
import { cancelAnywhere } from "../cancel.ts";
import { OtherRuns, trialOfContest, trialOfSeries } from "../other-runs.ts";
import type { Trial } from "../run-session.ts";
import { isOffered, startSession } from "../start-session.ts";
import { KnownTrials } from "./known-trials.ts";
import { Rounds } from "./rounds.ts";
import { haltedBy, refusedBy, SERIES_INTERRUPTED, type SeriesEnd, stoppedBy } from "./series-records.ts";

interface Begun {
  readonly record: SeriesRecord;
  /** The last trial of an earlier start; absent: of all that are there. */
  readonly begun_after?: number;
  /** A version with other protocols accepted it. */
  readonly is_of_earlier?: boolean;
}

/** Starts what `advance` says, and asks it again whenever a trial ends: what a series does follows from its stored trials alone. */
export class RunningSeries implements SeriesInFlight {
  readonly series_id: string;
  readonly sessions: readonly string[];
  readonly done: Promise<SeriesRecord>;
  readonly #services: SessionServices;
  readonly #prepare: SeriesSetup["prepare"];
  readonly #trials: KnownTrials;
  readonly #halted = new AbortController();
  /** Planned when it was looked at last; a trial that ends as it should changes nothing of it. */
  #next: readonly TrialSpec[] = [];
  /** Where the series stands as long as its trials are unmoved. */
  #unmoved: (() => Omit<SeriesSummary, "trial">) | undefined;
  /** The last trial of an earlier start; undefined: of all that are there. */
  #begunAfter: number | undefined;
  #record: SeriesRecord;
  readonly #isOfEarlier: boolean;
  /** How it ends, as soon as that is known; trials that run go on. */
  #end: SeriesEnd | undefined;
  readonly #others: OtherRuns;
  /** Of a contest: what the sessions of a round share. */
  readonly #rounds: Rounds | undefined;
  readonly #pairs = new KnownPairs();
  /** Somebody else goes on with it. */
  #left = false;
  readonly #leaving = Promise.withResolvers<void>();

  /** The series does not keep the planned members: there may be thousands. */
  constructor(services: SessionServices, { prepare, trial_cost }: SeriesSetup, begun: Begun) {
    this.#services = services;
    this.#prepare = prepare;
    this.#trials = new KnownTrials(services.store, trial_cost);
    this.sessions = this.#trials.sessions;
    this.#record = begun.record;
    this.#begunAfter = begun.begun_after;
    const { contest } = begun.record.plan;
    if (contest) this.#rounds = new Rounds(services, contest);
    this.#isOfEarlier = begun.is_of_earlier === true;
    this.#others = new OtherRuns(services.store);
    this.series_id = begun.record.series_id;
    this.done = this.#run();
  }

  get open(): ReadonlySet<string> {
    return new Set(this.#trials.open.keys());
  }

  next(): Promise<void> {
    return this.#trials.next();
  }

  halt(reason: Failure): void {
    this.#halted.abort(reason);
  }

  cancel(reason: Failure): void {
    this.halt(reason);
    for (const session_id of this.#trials.open.keys()) this.#cancelTrial(session_id, reason);
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
      this.#trials.close();
    }
  }

  async #conduct(): Promise<SeriesEnd> {
    const stored = await this.#services.store.trials({ series_id: this.series_id });
    this.#begunAfter ??= Math.max(0, ...stored.map(({ place }) => place?.trial ?? 0));
    const trials = this.#trials;
    trials.takeUp(stored);
    for (;;) {
      const { ended } = trials;
      await trials.readOver();
      const goesOn = await this.#goOn(ended > 0);
      // What ended meanwhile is not in these rows.
      if (trials.ended > ended) continue;
      if (this.#left) return SERIES_INTERRUPTED;
      if (trials.open.size > 0) await Promise.race([...trials.open.values(), this.#leaving.promise]);
      else if (this.#end) return this.#end;
      else if (!goesOn) throw new Error("a series neither ends nor goes on");
    }
  }

  /** Starts what may start now, which waits for no disk, and keeps what lists show. False when nothing may start. */
  async #goOn(changed: boolean): Promise<boolean> {
    const stops = this.#end !== undefined || this.#halted.signal.aborted;
    const planned = stops ? undefined : this.#trials.startable(this.#next, this.#record.limits);
    if (planned) return await this.#startPlanned(planned);
    const { rows } = this.#trials;
    const stored = this.#rounds ? [] : await this.#others.beside(this.#record, rows);
    const kept = changed && this.#keepStanding(standingOf(this.#record, rows, stored));
    if (kept) kept.catch(ignored);
    const goesOn = await this.#look(rows, stored);
    await kept;
    return goesOn;
  }

  /** The record holds all members: it is written only when something else changed. An earlier version may take it back: it reads no `answer`. */
  async #keepStanding({ answer, ...known }: SeriesRecord["standing"]): Promise<void> {
    const standing = { ...known, ...(answer && !this.#isOfEarlier && { answer }) };
    if (JSON.stringify(standing) !== JSON.stringify(this.#record.standing)) await this.#keep({ standing });
  }

  /** Plans anew, from all that is known. */
  async #look(rows: readonly TrialRow[], stored: readonly TrialRow[]): Promise<boolean> {
    this.#trials.behind = 0;
    this.#end ??= this.#haltedEnd();
    if (this.#end) return false;
    const input = { ...this.#trials.money, begun_after: this.#begunAfter ?? 0, stored };
    const record = this.#record;
    const step = await (this.#rounds ? advanceContest(record, rows, input, this.#pairs) : advance(record, rows, input));
    const { stop, start, next, behind } = step;
    let told: Omit<SeriesSummary, "trial"> | undefined;
    this.#unmoved = this.#rounds ? undefined : () => (told ??= summaryBehind(record, rows, stored));
    [this.#next, this.#trials.behind] = [next, behind];
    this.#end = stop === null ? await this.#startAll(start) : stoppedBy(stop, rows);
    return start.length > 0;
  }

  async #startPlanned(planned: readonly TrialSpec[]): Promise<boolean> {
    this.#next = this.#next.slice(planned.length);
    this.#end = await this.#startAll(planned);
    return planned.length > 0 || this.#trials.open.size > 0;
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
    await Promise.all(this.#trials.open.values());
    return { state: "failed", stop: "failed", failure: failure.message };
  }

  /** Another process runs it now, and its trials; or will, when this one cannot write. */
  #isForOthers(failure: Failure): boolean {
    return failure.code === "series_not_running" || (this.#services.shared !== undefined && isLoss(failure));
  }

  /** Trials behind one that found no place are planned anew: an unused number would look like a deleted trial. */
  async #startAll(specs: readonly TrialSpec[]): Promise<SeriesEnd | undefined> {
    this.#rounds?.plan(specs);
    for (const spec of specs) {
      const refused = await this.#start(spec);
      if (refused) this.#trials.behind = 0;
      if (refused) return refused === "busy" ? undefined : refused;
    }
    return undefined;
  }

  async #start(spec: TrialSpec): Promise<SeriesEnd | "busy" | undefined> {
    try {
      if (await this.#begin(spec)) return undefined;
      this.#rounds?.abandonFrom(spec);
      await Promise.race([...this.#trials.open.values(), this.#leaving.promise]);
      return "busy";
    } catch (error) {
      this.#rounds?.abandonFrom(spec);
      if (!(error instanceof Failure)) throw error;
      if (this.#halted.signal.aborted) return this.#haltedEnd();
      if (this.#isForOthers(error)) throw error;
      const end = refusedBy(error);
      if (end) return end;
      // Others hold all places. Its own trials may end before.
      await Promise.race([...this.#trials.open.values(), this.#pause()]);
      return "busy";
    }
  }

  /** False when what its limit has left is set aside for trials that run. */
  async #begin(spec: TrialSpec): Promise<boolean> {
    const { trial, round, pair } = spec;
    const row = await this.#rounds?.row(spec, this.#trials.rows);
    const plan = this.#paid(await this.#prepare(spec, row?.shared));
    this.#halted.signal.throwIfAborted();
    if (plan === undefined) return false;
    const place = { series_id: this.series_id, trial, round, ...(pair !== undefined && { pair }) };
    const store = this.#services.store;
    const asTrial: Trial = row
      ? { ...trialOfContest(() => this.#record, { place, store, ending: this.#trials.ending }), row: row.arms }
      : trialOfSeries(() => this.#record, {
          ...{ place, others: this.#others, store },
          rows: () => this.#trials.rows,
          unmoved: async (session_id) => ((await this.#trials.endsLast(session_id)) ? undefined : this.#unmoved?.()),
        });
    const start = async () => {
      const started = await startSession(this.#services, plan, asTrial, { user: this.#record.user });
      row?.begun(started);
      return started;
    };
    await this.#trials.begin(start, plan.options.max_cost_usd);
    if (!this.#left && this.#halted.signal.aborted) this.cancel(this.#halted.signal.reason);
    return true;
  }

  /** All trials here share one purse. One that another process runs has a share of what is left as its own limit; undefined: there is none now. */
  #paid(plan: SessionPlan): SessionPlan | undefined {
    const { max_cost_usd } = this.#record.limits;
    if (max_cost_usd === null) return plan;
    if (!isOffered(this.#services, plan)) return { ...plan, purse: this.#trials.purse(max_cost_usd) };
    const share_usd = this.#trials.share(max_cost_usd);
    return share_usd === undefined ? undefined : { ...plan, options: { ...plan.options, max_cost_usd: share_usd } };
  }

  async #pause(): Promise<void> {
    await sleep(BUSY_MS, undefined, { signal: this.#halted.signal }).catch(ignored);
  }

  #haltedEnd(): SeriesEnd | undefined {
    if (!this.#halted.signal.aborted) return undefined;
    return haltedBy(this.#halted.signal.reason as Failure);
  }

  async #keep(change: Partial<SeriesRecord>): Promise<SeriesRecord> {
    this.#record = { ...this.#record, ...change };
    await this.#services.store.series.update(this.#record);
    return this.#record;
  }
}

const LEFT = new Failure("interrupted", "Another process continues this series.");

/** Milliseconds until a trial that found no place is tried again. */
const BUSY_MS = 500;

const ignored = () => undefined;
