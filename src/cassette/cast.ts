import { Failure } from "../domain/failure.ts";
import { isBuiltin, isScripted } from "../domain/offline-model.ts";
import { type Bound, boundToArm, boundToJudge } from "./bound.ts";
import type { Taped } from "./tapes.ts";

/** Whose traffic is recorded: an arm, or the judge. */
export interface Role {
  /** Id of the arm, or `judge`. */
  readonly of: string;
  readonly model: string;
  readonly bound: Bound;
}

export const JUDGE = "judge";

/** All who ask a provider. @throws Failure `invalid_request` for an arm whose recording would be the judge's */
export function castOf({ task, arms, installs, judge_model }: Taped): readonly Role[] {
  const asking = arms.filter(({ model }) => !isScripted(model));
  if (asking.some(({ id }) => id.toLowerCase() === JUDGE))
    throw new Failure("invalid_request", `an arm called "${JUDGE}" cannot be recorded; give it another id`);
  const roles = asking.map((arm) => ({
    of: arm.id,
    model: arm.model,
    bound: boundToArm(task, arm, installs.get(arm.id)),
  }));
  const judge = { of: JUDGE, model: judge_model, bound: boundToJudge(judge_model) };
  return isBuiltin(judge_model) ? roles : [...roles, judge];
}

export const nameOf = (of: string): string => (of === JUDGE ? "the judge" : `arm "${of}"`);

/** Where a session's recordings lie in the directory, with forward slashes. */
export const placeOf = (scenario: string, trial: number | undefined): string =>
  trial === undefined ? scenario : `${scenario}/trial-${trial}`;

export const fileOf = (place: string, of: string): string => `${place}/${of}.jsonl`;
