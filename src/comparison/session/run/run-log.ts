import { Failure, type FailureCode, isKilledFromOutside } from "../../../domain/failure.ts";
import type { SeriesSummary } from "../../../domain/series-summary.ts";
import type { SessionFailure, SessionOutcome, Stage } from "../../../domain/session.ts";
import type { EndedEntry, PlannedAnew, RunEntry, StageEntry } from "../../../domain/session-entry.ts";
import type { TrialRow } from "../../../domain/trial.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { breathe } from "../../../runtime/pace.ts";
import { isFull, isOutage, type Run, type SessionStore } from "../../../store/store.ts";

export type SummaryOfTrials = (trials: readonly TrialRow[]) => SeriesSummary;

/** Writes one run into the log of its session. */
export class RunLog {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #run: Run;
  readonly #stop: AbortController | undefined;
  readonly #replaced: boolean;
  #stage: Stage = "queued";
  /** The last step of its stage. */
  #step = "";
  /** Said with the next stage. */
  planned_anew: PlannedAnew | undefined;
  /** Called at each step, before whatever follows it. */
  onStep: () => void = () => undefined;
  /** Why an entry was lost. The run writes no entry after that. */
  #lost: unknown;
  #verdict: Verdict | undefined;
  /** Entries noted in this turn of the event loop. */
  #noted: RunEntry[] = [];
  /** Settles with the last entry: entries are written in order. */
  #written: Promise<void> = Promise.resolve();
  #over = false;
  #outcome: SessionOutcome | undefined;
  /** Another attempt writes the end. */
  #abandoned = false;

  /**
   * @param stop given where another attempt follows after the store is lost: it fires as soon as an entry is lost, before the
   * run notices, and neither an outage of the store nor a full disk ends the session.
   * @param replaced an attempt that is killed from outside is handed back as well
   */
  constructor(store: SessionStore, clock: Clock, run: Run, stop?: AbortController, replaced = false) {
    this.#store = store;
    this.#clock = clock;
    this.#run = run;
    this.#stop = stop;
    this.#replaced = replaced;
  }

  get session_id(): string {
    return this.#run.session_id;
  }

  get attempt(): number {
    return this.#run.attempt;
  }

  /** The end is in the log. */
  get over(): boolean {
    return this.#over;
  }

  /** Its stage and the last step of that. */
  get doing(): string {
    return this.#step === "" ? this.#stage : `${this.#stage}, after ${this.#step}`;
  }

  /** The session as it ended, where the store gave it. */
  get outcome(): SessionOutcome | undefined {
    return this.#outcome;
  }

  /** Another attempt writes the end, or will. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** Why it was abandoned, or what was lost. */
  get lost(): unknown {
    return this.#lost;
  }

  /** Resolves when it is written; nothing of the stage starts or costs money before that. @throws Failure */
  async enter(stage: StageEntry["stage"]): Promise<void> {
    this.#stage = stage;
    const { planned_anew } = this;
    this.planned_anew = undefined;
    this.note({ type: "stage", at: this.#now(), stage, ...(planned_anew && { planned_anew }) });
    await this.#written;
    this.#throwLost();
  }

  /**
   * Does not wait. Entries of one turn of the event loop are stored together, because each append reads and describes the
   * session again. An entry that could not be written ends the run at its next one. @throws Failure
   */
  note(entry: RunEntry): void {
    this.#throwLost();
    this.#step = entry.type === "stage" ? "" : stepOf(entry);
    this.onStep();
    this.#noted.push(entry);
    if (this.#noted.length > 1) return;
    const append = () => this.#store.append(this.#run, this.#noted.splice(0), "written");
    const lose = (failure: unknown) => {
      this.#lost ??= failure;
      this.#stop?.abort(failure);
    };
    this.#written = breathe()
      .then(append)
      .then(() => undefined, lose);
  }

  /**
   * Resolves when the verdict is on disk, with the standing of its series.
   * @throws Failure when it cannot be stored; `fail` tries again.
   */
  async complete(verdict: Verdict, standing?: SeriesSummary | SummaryOfTrials): Promise<void> {
    this.#stage = "saving";
    this.#verdict = verdict;
    await this.#written;
    this.#throwLost();
    await this.#end({ type: "ended", at: this.#now(), state: "completed", failure: null }, standing);
  }

  /** Never rejects for lack of space, because the store then keeps the end. */
  async fail(reason: Failure): Promise<void> {
    const { code, message, retryable } = reason;
    const state = ENDS[code] ?? "failed";
    const failure = { stage: this.#stage, class: blameOf(code), code, message, retryable };
    await this.#written;
    if (this.#replaced && isKilledFromOutside(reason)) await this.release(reason);
    const outage = [this.#lost, reason].find((error) => isOutage(error) || isFull(error));
    if (this.#stop && outage) this.abandon(outage);
    try {
      await this.#end({ type: "ended", at: this.#now(), state, failure });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code === "interrupted") this.abandon(error);
      this.#over = true;
    }
  }

  /**
   * Hands the session back to the next attempt and writes no more. False when that could not be written: the
   * next attempt still starts over, and counts this one as lost. Never rejects.
   */
  async release(reason: unknown): Promise<boolean> {
    const killed = isKilledFromOutside(reason) && { killed_from_outside: true as const };
    const written = this.#written.then(() =>
      this.#store.append(this.#run, [{ type: "released", at: this.#now(), ...killed }], "durable"),
    );
    this.abandon(reason);
    return await written.then(
      () => true,
      () => false,
    );
  }

  /** Writes no more, because another attempt has the run. */
  abandon(reason: unknown): void {
    this.#lost ??= reason;
    this.#abandoned = true;
  }

  async #end(ended: EndedEntry, standing?: SeriesSummary | SummaryOfTrials): Promise<void> {
    this.#over ||= this.#abandoned;
    if (this.#abandoned) return;
    const verdict = this.#verdict;
    const judged = (series: Verdict["series"]): RunEntry[] =>
      verdict ? [{ type: "judged", verdict: { ...verdict, series } }] : [];
    const entries =
      typeof standing === "function"
        ? (trials: readonly TrialRow[]) => [...judged(standing(trials)), ended]
        : [...judged(standing ?? null), ended];
    this.#outcome = await this.#store.append(this.#run, entries, "durable");
    this.#over = true;
  }

  #throwLost(): void {
    if (this.#lost !== undefined) throw this.#lost;
  }

  #now(): string {
    return this.#clock.now().toISOString();
  }
}

/** How a run ends that did not fail. */
const ENDS: Partial<Readonly<Record<FailureCode, EndedEntry["state"]>>> = {
  cancelled: "cancelled",
  interrupted: "interrupted",
  killed_from_outside: "interrupted",
};

const stepOf = (entry: RunEntry): string => {
  const kind = entry.type === "decision" ? entry.decision.kind : entry.type;
  return "arm_id" in entry ? `${kind} of ${entry.arm_id}` : kind;
};

const blameOf = (code: FailureCode): SessionFailure["class"] => (USER_FAULTS.has(code) ? "user" : "infra");

const USER_FAULTS: ReadonlySet<FailureCode> = new Set([
  "cancelled",
  "setup_failed",
  "invalid_scenario",
  "credentials_missing",
  "unsupported_request",
  "cost_limit_reached",
]);
