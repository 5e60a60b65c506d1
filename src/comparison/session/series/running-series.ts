import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../domain/failure.ts";
import type { SeriesRecord, SeriesStop } from "../../../domain/series-record.ts";
import { isFinal } from "../../../domain/session-state.ts";
import type { TrialRow } from "../../../domain/trial.ts";
import { type AdvanceInput, advance, type TrialSpec } from "../../../statistics/advance.ts";
import { costOfTrial } from "../../../statistics/costs.ts";
import { standingOf } from "../../../statistics/report.ts";
import { isLoss } from "../../../store/store.ts";
import type { SeriesSetup } from "../../planning/prepare-series.ts";
import type { SeriesInFlight } from "../../planning/register.ts";
import type { SessionServices } from "../../planning/services.ts";
import { cancelAnywhere } from "../cancel.ts";
import { OtherRuns } from "../other-runs.ts";
import { untilEnded } from "../shared/await-end.ts";
import { startSession } from "../start-session.ts";
import { trialOfSeries } from "./trial-of-series.ts";

/** How a series ended. */
type End = Pick<SeriesRecord, "state" | "stop" | "failure">;

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
  readonly #setup: SeriesSetup;
  readonly #open = new Map<string, Promise<void>>();
  readonly #halted = new AbortController();
  /** Trials of this start that are over. */
  #ended = 0;
  /** The last trial of an earlier start; undefined: of all that are there. */
  #begunAfter: number | undefined;
  #record: SeriesRecord;
  /** How it ends, as soon as that is known; trials that run go on. */
  #end: End | undefined;
  #changed = Promise.withResolvers<void>();
  readonly #others: OtherRuns;
  /** Somebody else goes on with it. */
  #left = false;
  readonly #leaving = Promise.withResolvers<void>();

  constructor(services: SessionServices, setup: SeriesSetup, { record, begun_after }: Begun) {
    this.#services = services;
    this.#setup = setup;
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

  async #conduct(): Promise<End> {
    this.#takeUp(await this.#rows());
    for (;;) {
      const ended = this.#ended;
      const rows = await this.#rows();
      const goesOn = await this.#goOn(rows, ended > 0);
      // What ended meanwhile is not in these rows.
      if (this.#ended > ended) continue;
      if (this.#left) return INTERRUPTED;
      if (this.#open.size > 0) await Promise.race([...this.#open.values(), this.#leaving.promise]);
      else if (this.#end) return this.#end;
      else if (!goesOn) throw new Error("a series neither ends nor goes on");
    }
  }

  /** Trials that run already are those of whoever ran the series before. */
  #takeUp(rows: readonly TrialRow[]): void {
    this.#begunAfter ??= Math.max(0, ...rows.map(({ place }) => place?.trial ?? 0));
    const open = rows.filter(({ state }) => !isFinal(state));
    for (const { session_id } of open) this.#follow(session_id, untilEnded(this.#services.store, session_id));
  }

  /** Starts what may start now, which waits for no disk, and keeps what lists show. False when nothing may start. */
  async #goOn(rows: readonly TrialRow[], changed: boolean): Promise<boolean> {
    const stored = await this.#others.beside(this.#record, rows);
    const kept = changed && this.#keep({ standing: standingOf(this.#record, rows, stored) });
    if (kept) kept.catch(ignored);
    const goesOn = await this.#startNext(rows, stored);
    await kept;
    return goesOn;
  }

  async #startNext(rows: readonly TrialRow[], stored: readonly TrialRow[]): Promise<boolean> {
    this.#end ??= this.#haltedEnd();
    if (this.#end) return false;
    const { stop, start } = await advance(this.#record, rows, { ...this.#money(rows), stored });
    this.#end = stop === null ? await this.#startAll(start) : endOf(stop, rows);
    return start.length > 0;
  }

  /** Ends a series after an error, or leaves it to another process. Its trials never go on without it. */
  async #broken(error: unknown): Promise<End> {
    const failure =
      error instanceof Failure
        ? error
        : new Failure("internal", "an internal error ended the series", { cause: error });
    if (this.#isForOthers(failure)) {
      if (isLoss(failure)) await this.#pause();
      this.leave();
      return INTERRUPTED;
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
  async #startAll(specs: readonly TrialSpec[]): Promise<End | undefined> {
    for (const spec of specs) {
      const refused = await this.#start(spec);
      if (refused) return refused === "busy" ? undefined : refused;
    }
    return undefined;
  }

  async #start(spec: TrialSpec): Promise<End | "busy" | undefined> {
    try {
      await this.#begin(spec);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (this.#halted.signal.aborted) return this.#haltedEnd();
      if (this.#isForOthers(error)) throw error;
      if (error.code !== "overloaded") return { state: "failed", stop: "failed", failure: error.message };
      const isOver = error.details?.["reason"] === "max_cost_per_day" && !isSoon(error.details["retry_after_s"]);
      if (isOver) return { state: "completed", stop: "budget", failure: error.message };
      // Others hold all places. Its own trials may end before.
      await Promise.race([...this.#open.values(), this.#pause()]);
      return "busy";
    }
  }

  async #begin(spec: TrialSpec): Promise<void> {
    const { trial, round } = spec;
    const plan = await this.#setup.prepare(spec);
    this.#halted.signal.throwIfAborted();
    const place = { series_id: this.series_id, trial, round };
    const { session_id, done } = await startSession(
      this.#services,
      plan,
      trialOfSeries(() => this.#record, { place, others: this.#others, store: this.#services.store }),
    );
    this.#follow(session_id, done);
    if (this.#left) return;
    if (this.#halted.signal.aborted) this.cancel(this.#halted.signal.reason);
  }

  #follow(session_id: string, done: Promise<unknown>): void {
    const ended = done.then(ignored, ignored).then(() => {
      this.#open.delete(session_id);
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

  #haltedEnd(): End | undefined {
    if (!this.#halted.signal.aborted) return undefined;
    const { code, message } = this.#halted.signal.reason as Failure;
    return code === "cancelled"
      ? { state: "cancelled", stop: "cancelled", failure: null }
      : { ...INTERRUPTED, failure: message };
  }

  #money(rows: readonly TrialRow[]): AdvanceInput {
    const { estimate_usd } = this.#setup;
    const ended = rows.filter(({ state }) => isFinal(state));
    const spent_usd = ended.reduce((sum, row) => sum + (costOfTrial(row) ?? estimate_usd ?? 0), 0);
    return { spent_usd, estimate_usd, begun_after: this.#begunAfter ?? 0 };
  }

  #rows(): Promise<readonly TrialRow[]> {
    return this.#services.store.trials({ series_id: this.series_id });
  }

  async #keep(change: Partial<SeriesRecord>): Promise<SeriesRecord> {
    this.#record = { ...this.#record, ...change };
    await this.#services.store.series.update(this.#record);
    return this.#record;
  }
}

const INTERRUPTED: End = { state: "interrupted", stop: null, failure: null };

const LEFT = new Failure("interrupted", "Another process goes on with this series.");

/** Milliseconds until a trial that found no place is tried again. */
const BUSY_MS = 500;

const isSoon = (retry_after_s: unknown) => typeof retry_after_s === "number" && retry_after_s <= 60;

const ignored = () => undefined;

const endOf = (stop: SeriesStop, rows: readonly TrialRow[]): End =>
  stop === "failed"
    ? { state: "failed", stop, failure: lastFailure(rows) }
    : { state: "completed", stop, failure: null };

function lastFailure(rows: readonly TrialRow[]): string | null {
  const last = rows.findLast(({ failure, could_not_check }) => failure !== null || could_not_check !== undefined);
  return last?.failure?.message ?? last?.could_not_check ?? null;
}
