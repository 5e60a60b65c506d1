import { NO_USAGE, type Usage } from "../../../domain/usage.ts";
import type { Citation, Flag, JudgeCall, Suspicion } from "../../../domain/verdict.ts";

/** Everything that a judge said. Code makes the verdict of it. */
export interface JudgeResult {
  /** Empty when no model was asked. */
  readonly calls: readonly JudgeCall[];
  /** Valid citations of both orders by criterion id, without repetitions. */
  readonly citations: ReadonlyMap<string, readonly Citation[]>;
  /** The usage of all calls. */
  readonly usage: Usage;
  readonly flags: readonly Flag[];
  /** The suspicions of the scan and of the judge. The verdict adds the arm's id. */
  readonly suspicions: readonly Omit<Suspicion, "arm_id">[];
  /** Null when no model was asked. */
  readonly prompt_digest: string | null;
  readonly protocol: string;
  /** What each judge of a panel cost; absent for one judge. */
  readonly panel?: readonly PanelShare[];
}

export interface PanelShare {
  /** `<provider>/<model>` */
  readonly model: string;
  readonly cost_usd: number | null;
}

/** The valid answers of the first hearing. */
export const firstAnswers = (calls: readonly JudgeCall[]): readonly JudgeCall[] =>
  calls.filter(({ masked, valid }) => !masked && valid);

/**
 * The result of `builtin/evidence`, and of every judge when a rubric has no judged criterion. Gates decide, else the
 * measured criteria against the tie margin, else nobody.
 */
export const NO_MODEL_ASKED: JudgeResult = {
  calls: [],
  citations: new Map(),
  usage: NO_USAGE,
  flags: [],
  suspicions: [],
  prompt_digest: null,
  protocol: "gates-and-measures/3",
};
