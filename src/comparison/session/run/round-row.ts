import type { JudgedArm } from "../../judge/judge.ts";
import { type ExaminedHere, withoutCoinFlips } from "../repeat-checks.ts";
import type { Examination } from "./open-arm.ts";

/** An arm that has stopped here and was looked at. */
interface Left extends ExaminedHere {
  /** When it began, by the clock of the arms; null: not here. */
  readonly began_ticks: number | null;
  readonly examination: Examination;
}

/** What the sessions of a round share of an arm. */
export interface SharedRun {
  readonly judged: JudgedArm;
  readonly began_ticks: number | null;
}

/**
 * The arms of a contest in one round of a member. Each runs once, in one session, and the sessions of all its pairs judge that
 * run. Nobody judges before all have stopped, so that a check which tells two of them apart by chance is left out for all.
 */
export class RoundRow {
  /** By arm: the session in which it runs. */
  readonly #sessions = new Map<string, string>();
  /** Arms that have not stopped. */
  readonly #awaited: Set<string>;
  readonly #left = new Map<string, Left>();
  readonly #failed = new Map<string, unknown>();
  readonly #before: ReadonlyMap<string, () => Promise<JudgedArm>>;
  readonly #settled = Promise.withResolvers<ReadonlyMap<string, SharedRun>>();

  /** @param arms that run now @param before runs of an earlier attempt, by arm, with the session of each */
  constructor(arms: readonly string[], before: ReadonlyMap<string, StoredShare> = new Map()) {
    this.#awaited = new Set(arms.filter((arm) => !before.has(arm)));
    for (const [arm, { session_id }] of before) this.#sessions.set(arm, session_id);
    this.#before = new Map([...before].map(([arm, { load }]) => [arm, load]));
    // Nobody may ask.
    this.#settled.promise.catch(() => undefined);
  }

  /** The session in which an arm runs, or ran; undefined: in none yet. */
  sessionOf(arm_id: string): string | undefined {
    return this.#sessions.get(arm_id);
  }

  begun(arm_id: string, session_id: string): void {
    this.#sessions.set(arm_id, session_id);
  }

  /** An arm has stopped by itself. Its workspace stays until `run` resolves. */
  left(arm_id: string, left: Left): void {
    this.#left.set(arm_id, left);
    this.#over(arm_id);
  }

  /** An arm gives no run; nothing happens where it gave one. */
  lost(arm_id: string, why: unknown): void {
    if (!this.#awaited.has(arm_id)) return;
    this.#failed.set(arm_id, why);
    this.#over(arm_id);
  }

  /** What an arm left, once all of them have stopped. @throws why there is nothing */
  async run(arm_id: string): Promise<SharedRun> {
    const load = this.#before.get(arm_id);
    if (load) return { judged: await load(), began_ticks: null };
    const run = (await this.#settled.promise).get(arm_id);
    if (run) return run;
    throw this.#failed.get(arm_id) ?? new Error(`${arm_id} is not of this round`);
  }

  #over(arm_id: string): void {
    this.#awaited.delete(arm_id);
    if (this.#awaited.size === 0) this.#settle().then(this.#settled.resolve, this.#settled.reject);
  }

  async #settle(): Promise<ReadonlyMap<string, SharedRun>> {
    const left = [...this.#left];
    // One that was stopped since does not stop the others.
    const going = left.findLast(([, { examination }]) => !examination.signal.aborted) ?? left.at(-1);
    const examination = going?.[1].examination;
    if (examination === undefined) return new Map();
    const arms = await withoutCoinFlips(
      examination,
      left.map(([, arm]) => arm),
    );
    return new Map(
      left.map(([arm_id, { judged, began_ticks }], place) => [arm_id, { judged: arms[place] ?? judged, began_ticks }]),
    );
  }
}

/** A run that an earlier attempt left, in a session that gave no result. */
export interface StoredShare {
  readonly session_id: string;
  readonly load: () => Promise<JudgedArm>;
}
