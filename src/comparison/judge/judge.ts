import type { Purse } from "../../arms/model/purse.ts";
import type { Decision } from "../../domain/decision.ts";
import type { Rubric } from "../../domain/rubric.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { type ArmSummary, idTime } from "../../domain/session.ts";
import type { SessionSettings } from "../../domain/session-settings.ts";
import type { Task } from "../../domain/task.ts";
import type { ArmPointer, Flag, Verdict } from "../../domain/verdict.ts";
import type { Entropy } from "../../runtime/clock.ts";

/** What is known of an arm after it stopped. */
export interface JudgedArm {
  readonly pointer: ArmPointer;
  readonly summary: ArmSummary;
  readonly decisions: readonly Decision[];
}

/** Everything that a verdict rests on. The judge model sees only views made of it. */
export interface Case {
  readonly scenario: string;
  /** Row of its inputs; absent: it has none. */
  readonly input?: string | undefined;
  readonly scenario_digest: string;
  readonly kind: Verdict["kind"];
  readonly task: Task;
  /** The arms' own, which no judge sees; absent: both were asked `task.prompt`. */
  readonly prompts?: readonly string[];
  readonly policies: Scenario["policies"];
  readonly rubric: Rubric;
  readonly a: JudgedArm;
  readonly b: JudgedArm;
  /** What the session already knows: `no_contrast`, `self_family`, `scenario_drift`, `cost_cap_inactive`, ... */
  readonly flags: readonly Flag[];
  /** What the author of a change could have edited; absent: nothing is known. */
  readonly inputs_from_checkout?: SessionSettings["inputs_from_checkout"];
  /** Its verdict may open a gate. */
  readonly single?: boolean;
  /** What judging may cost, USD: what it does not pay for is left out, with a flag. Absent: no limit. */
  readonly left_usd?: number;
  /** What pays for each call of the run: one that it does not pay for ends the run. Absent: no limit. */
  readonly purse?: Purse | undefined;
  /** Chosen before it is judged; absent: afterwards. */
  readonly verdict_id?: string;
}

export const newVerdictId = (at: string, entropy: Entropy): string => `verdict-${idTime(at)}-${entropy(4)}`;

/**
 * An unusable answer is a Verdict with outcome `invalid`.
 * @throws Failure `provider_failed` when the judge cannot be reached, `cost_limit_reached`; `signal.reason` when the signal fires.
 */
export type Judge = (kase: Case, signal: AbortSignal) => Promise<Verdict>;
