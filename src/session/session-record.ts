import type { Clock } from "../clock.ts";
import type { Decision } from "../domain/decision.ts";
import type { RunEvent } from "../domain/event.ts";
import { Failure } from "../domain/failure.ts";
import type { ArmSummary, SessionOutcome, Stage } from "../domain/session.ts";
import { sumTotals } from "../domain/usage.ts";
import type { Verdict } from "../domain/verdict.ts";
import type { SessionStore } from "../store/store.ts";
import type { LiveRuns } from "../stream/live-runs.ts";

export interface RecordServices {
  readonly store: SessionStore;
  readonly live: LiveRuns;
  readonly clock: Clock;
}

/**
 * The one writer of a session: each change is stored first, then announced. At the end the order is save, wait for the
 * disk, announce, close, so whoever reads `verdict_ready`, or gets 404 on the stream, can already read the session.
 */
export class SessionRecord {
  #outcome: SessionOutcome;
  readonly #services: RecordServices;
  readonly #logs = new Map<string, Decision[]>();
  #saving = false;
  /** Why a decision was lost after it had been taken for stored: from then on no arm makes another. */
  #lost: unknown;

  constructor(outcome: SessionOutcome, services: RecordServices) {
    this.#outcome = outcome;
    this.#services = services;
    for (const { arm_id } of outcome.arms) this.#logs.set(arm_id, []);
  }

  /** As it is now, decisions included. */
  get outcome(): SessionOutcome {
    return { ...this.#outcome, decisions: Object.fromEntries(this.#logs) };
  }

  get stage(): Stage {
    if (this.#saving) return "saving";
    const { state } = this.#outcome;
    return state === "queued" || state === "preparing" || state === "probing" || state === "judging"
      ? state
      : "running";
  }

  arm(arm_id: string): ArmSummary {
    const [first, second] = this.#outcome.arms;
    return first.arm_id === arm_id ? first : second;
  }

  decisions(arm_id: string): readonly Decision[] {
    return this.#logs.get(arm_id) ?? [];
  }

  /** Resolves when it is stored: nothing of the new stage begins, or is paid for, where that cannot be done. */
  async enter(state: "preparing" | "running" | "probing" | "judging"): Promise<void> {
    this.#throwLost();
    const started_at = this.#outcome.started_at ?? this.#now();
    this.#save({ ...this.#outcome, state, started_at });
    await this.#services.store.committed();
    this.#throwLost();
  }

  decide(arm_id: string, decision: Decision): void {
    this.#throwLost();
    this.#services.store.append(this.#outcome.session_id, arm_id, decision);
    this.#logs.get(arm_id)?.push(decision);
    this.#announce({ event: "decision", session_id: this.#outcome.session_id, arm_id, decision });
  }

  /** Replaces what is known of an arm; kept with the next state change. */
  noteArm(arm: ArmSummary): void {
    const [first, second] = this.#outcome.arms;
    this.#outcome = { ...this.#outcome, arms: first.arm_id === arm.arm_id ? [arm, second] : [first, arm] };
  }

  armFinished(arm: ArmSummary): void {
    this.noteArm(arm);
    this.#announce({ event: "arm_finished", session_id: this.#outcome.session_id, arm_id: arm.arm_id });
  }

  observe(observed: readonly string[]): void {
    const { fairness } = this.#outcome;
    this.#outcome = { ...this.#outcome, fairness: { ...fairness, observed: [...observed] } };
  }

  /** @throws Failure when the verdict cannot be stored; it stays in the outcome that `fail` gives. */
  async complete(verdict: Verdict): Promise<SessionOutcome> {
    this.#saving = true;
    this.#outcome = { ...this.#outcome, verdict };
    this.#throwLost();
    await this.#finish({ ...this.#outcome, state: "completed" });
    this.#publish({ event: "verdict_ready", session_id: this.#outcome.session_id, verdict });
    this.#services.live.close(this.#outcome.session_id);
    return this.outcome;
  }

  async fail(failure: Failure): Promise<SessionOutcome> {
    const state = failure.code === "cancelled" || failure.code === "interrupted" ? failure.code : "failed";
    const { code, message, retryable } = failure;
    const stage = this.stage;
    const [first, second] = this.#outcome.arms;
    const arms: SessionOutcome["arms"] = [this.#stopped(first), this.#stopped(second)];
    const kind = USER_FAULTS.has(code) ? "user" : "infra";
    const ended = { ...this.#outcome, state, arms, failure: { stage, class: kind, code, message, retryable } } as const;
    const heard = stage === "judging" && state === "failed" ? this.#rejudged() : undefined;
    if (heard) return await this.complete(heard);
    try {
      await this.#finish(ended);
    } catch (error) {
      // A full disk: the run has ended all the same, and its readers must hear of it.
      this.#outcome = ended;
      if (!(error instanceof Failure)) throw error;
    } finally {
      const { session_id } = this.#outcome;
      this.#publish({ event: "session_failed", session_id, stage, code, message, retryable });
      this.#services.live.close(session_id);
    }
    return this.outcome;
  }

  /** A verdict that somebody asked for while this run's own judge was out. */
  #rejudged(): Verdict | undefined {
    const verdicts = this.#services.store.get(this.#outcome.session_id)?.verdicts ?? [];
    return verdicts.find(({ kind }) => kind === "rejudge");
  }

  #stopped(arm: ArmSummary): ArmSummary {
    if (arm.status !== "pending" && arm.status !== "running") return arm;
    return { ...arm, status: "cancelled" };
  }

  async #finish(outcome: SessionOutcome): Promise<void> {
    const finished_at = this.#now();
    this.#save({ ...outcome, finished_at, totals: sumTotals({ ...outcome, finished_at }) });
    await this.#services.store.durable();
  }

  #save(outcome: SessionOutcome): void {
    this.#services.store.save(outcome);
    this.#outcome = outcome;
  }

  /** To readers when it is stored. What could not be stored ends the run at its next step. */
  #announce(event: RunEvent): void {
    const lose = (failure: unknown) => {
      this.#lost ??= failure;
    };
    void this.#services.store.committed().then(() => this.#publish(event), lose);
  }

  #throwLost(): void {
    if (this.#lost !== undefined) throw this.#lost;
  }

  #publish(event: RunEvent): void {
    this.#services.live.get(this.#outcome.session_id)?.publish(event);
  }

  #now(): string {
    return this.#services.clock.now().toISOString();
  }
}

const USER_FAULTS: ReadonlySet<string> = new Set([
  "cancelled",
  "setup_failed",
  "invalid_scenario",
  "credentials_missing",
]);
