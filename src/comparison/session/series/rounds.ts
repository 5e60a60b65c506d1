import type { ContestPlan } from "../../../domain/contest-plan.ts";
import { Failure } from "../../../domain/failure.ts";
import { memberName } from "../../../domain/member.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import { isFinal } from "../../../domain/session-state.ts";
import type { TrialRow } from "../../../domain/trial.ts";
import type { TrialSpec } from "../../../statistics/advance.ts";
import { readSession } from "../../../store/read-session.ts";
import { type SharedArms, sharedIn } from "../../planning/arm-source.ts";
import type { SessionServices } from "../../planning/services.ts";
import { RoundRow, type StoredShare } from "../run/round-row.ts";
import type { StartedSession } from "../started-session.ts";
import { type StoredArm, storedArm } from "../stored-arm.ts";

interface PairInRow {
  readonly arms: RoundRow;
  /** Arms of the pair that other sessions run. */
  readonly shared: SharedArms;
  readonly begun: (started: StartedSession) => void;
}

interface Row {
  readonly arms: RoundRow;
  /** Sessions that have not ended, and pairs that are to start. */
  left: number;
}

/** The rounds of a contest that run here: which session runs which arm, for all that show its run. */
export class Rounds {
  readonly #services: Pick<SessionServices, "store">;
  readonly #contest: ContestPlan;
  #specs: TrialSpec[] = [];
  readonly #rows = new Map<string, Row>();

  constructor(services: Pick<SessionServices, "store">, contest: ContestPlan) {
    this.#services = services;
    this.#contest = contest;
  }

  /** What starts now; a row starts whole. */
  plan(specs: readonly TrialSpec[]): void {
    this.#specs = [...specs];
  }

  /** @param rows of all trials @throws Failure when the store cannot be read */
  async row(spec: TrialSpec, rows: readonly TrialRow[]): Promise<PairInRow> {
    const key = rowOf(spec);
    const row = this.#rows.get(key) ?? (await this.#open(key, rows));
    const pair = this.#armsOf(spec.pair ?? 0);
    const shared = sharedIn(pair, (arm) => row.arms.sessionOf(arm));
    const own = pair.filter((_, side) => shared[side === 0 ? "a" : "b"] === undefined);
    return {
      arms: row.arms,
      shared,
      begun: ({ session_id, done }) => {
        for (const arm of own) row.arms.begun(arm, session_id);
        const over = () => {
          for (const arm of own) row.arms.lost(arm, NOT_RUN);
          this.#overIn(key);
        };
        done.then(over, over);
      },
    };
  }

  async #open(key: string, rows: readonly TrialRow[]): Promise<Row> {
    const specs = this.#specs.filter((one) => rowOf(one) === key);
    const arms = new Set(specs.flatMap(({ pair = 0 }) => this.#armsOf(pair)));
    const before = await this.#ranBefore(rows.filter((row) => rowOf(row) === key));
    const row = { arms: new RoundRow([...arms], before), left: specs.length };
    this.#rows.set(key, row);
    return row;
  }

  /** It cannot start now, nor what was planned after it: that is started later, with the runs that there are then. */
  abandonFrom(spec: TrialSpec): void {
    const left = this.#specs.splice(this.#specs.indexOf(spec));
    for (const one of left) {
      const row = this.#rows.get(rowOf(one));
      for (const arm of this.#armsOf(one.pair ?? 0))
        if (row && row.arms.sessionOf(arm) === undefined) row.arms.lost(arm, NOT_RUN);
      this.#overIn(rowOf(one));
    }
  }

  /** One of the pairs of a row has ended. */
  #overIn(key: string): void {
    const row = this.#rows.get(key);
    if (row === undefined) return;
    row.left -= 1;
    if (row.left === 0) this.#rows.delete(key);
  }

  #armsOf(pair: number): readonly [string, string] {
    return this.#contest.pairs[pair]?.arms as [string, string]; // as the schema says
  }

  /** Runs of arms that were looked at in sessions that have ended: what became of the other arm there is no matter. */
  async #ranBefore(rows: readonly TrialRow[]): Promise<ReadonlyMap<string, StoredShare>> {
    const known = new Map<string, StoredShare>();
    for (const row of rows.filter(({ state }) => isFinal(state)))
      for (const [arm_id, share] of await this.#sharesOf(row)) known.set(arm_id, share);
    return known;
  }

  async #sharesOf({ session_id, stored_runs = {}, pair = 0 }: TrialRow): Promise<ReadonlyMap<string, StoredShare>> {
    const session = await readSession(this.#services.store, session_id);
    const [a, b] = this.#armsOf(pair);
    const own = [...(stored_runs.a === undefined ? [a] : []), ...(stored_runs.b === undefined ? [b] : [])];
    return new Map(
      own.flatMap((arm_id) => {
        const run = session && runIn(session, arm_id);
        return run ? [[arm_id, { session_id, load: async () => run }] as const] : [];
      }),
    );
  }
}

/** Undefined for an arm that gave no run: it runs again. */
function runIn(session: SessionOutcome, arm_id: string): StoredArm | undefined {
  const { status } = session.arms.find((arm) => arm.arm_id === arm_id) ?? {};
  if (status === "failed" || status === "cancelled") return undefined;
  try {
    return storedArm(session, { session_id: session.session_id, arm_id });
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

const NOT_RUN = new Failure("interrupted", "The session that was to run this arm ended before the arm did.", {
  retryable: true,
});

const rowOf = ({ place, round = place?.round, ...member }: Partial<TrialRow> & Partial<TrialSpec> & Member) =>
  `${round} ${memberName(member)}`;

type Member = Parameters<typeof memberName>[0];
