import type { Arm } from "../../domain/arm.ts";
import { Failure } from "../../domain/failure.ts";
import { isBuiltin, isScripted } from "../../domain/model-name.ts";
import { isImported } from "../../domain/ran.ts";
import type { Task } from "../../domain/task.ts";
import { type Bound, boundToArm, boundToJudge } from "./bound.ts";
import type { RecordedSession } from "./recordings.ts";

/** Whose traffic is recorded: an arm, or the judge. */
export interface Role {
  /** Id of the arm, or `judge`. */
  readonly of: string;
  readonly model: string;
  readonly bound: Bound;
  /** What recordings of 0.1.6 and before are bound to for the same arm: small calls of a `command` kept their model then. */
  readonly formerly?: Bound | undefined;
}

export const JUDGE = "judge";

/** All who ask a provider. @throws Failure `invalid_request` for an arm whose recording would be the judge's */
export function rolesOf({ task, arms, installs, judge_model }: RecordedSession): readonly Role[] {
  const asking = arms.filter(({ model }) => !isScripted(model) && !isImported(model));
  if (asking.some(({ id }) => id.toLowerCase() === JUDGE))
    throw new Failure("invalid_request", `an arm with the id "${JUDGE}" cannot be recorded; give it another id`);
  const roles = asking.map((arm) => ({
    of: arm.id,
    model: arm.model,
    bound: boundToArm(task, arm, installs.get(arm.id)),
    formerly: formerly(task, arm, installs.get(arm.id)),
  }));
  const judge = { of: JUDGE, model: judge_model, bound: boundToJudge(judge_model) };
  return isBuiltin(judge_model) ? roles : [...roles, judge];
}

function formerly(task: Task, { agent, ...arm }: Arm, install: string | undefined): Bound | undefined {
  const hadAnotherDefault = agent?.use === null && agent.side_model === "same";
  return hadAnotherDefault ? boundToArm(task, { ...arm, agent: { ...agent, side_model: "keep" } }, install) : undefined;
}

export const nameOf = (of: string): string => (of === JUDGE ? "the judge" : `arm "${of}"`);

/** Where a session's recordings lie in the directory, with forward slashes. */
export const placeOf = (scenario: string, trial: number | undefined): string =>
  trial === undefined ? scenario : `${scenario}/trial-${trial}`;

export const fileOf = (place: string, of: string): string => `${place}/${of}.jsonl`;
