import { isAnsweringModel } from "../../domain/answering.ts";
import type { Arm } from "../../domain/arm.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { Failure } from "../../domain/failure.ts";
import { isBuiltin, isScripted } from "../../domain/model-name.ts";
import { isImported } from "../../domain/ran.ts";
import { fixtureForDigest, setupForDigest, type Task } from "../../domain/task.ts";
import { hashOf } from "./matching/asked.ts";
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
  const asking = arms.filter(({ model }) => !isScripted(model) && !isImported(model) && !isAnsweringModel(model));
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

/** Hashes of what a recording holds for, each by its name. */
export type Bound = Readonly<Record<string, string>>;

/**
 * What the arm saw: the task, what it began with, and the arm itself as it is installed. Neither its name, its price nor its limits, and
 * nothing that was hidden from it: changed checks and rubrics replay.
 */
export function boundToArm(
  { messages, prompt, follow_ups, fixture, image, setup }: Task,
  arm: Arm,
  install: string | undefined,
): Bound {
  const { id: _id, title: _title, price_per_mtok: _price, limits: _limits, ...seen } = arm;
  const said = { messages, prompt, follow_ups };
  return hashed({
    ...said,
    fixture: fixtureForDigest(fixture),
    image: image?.digest,
    setup: setupForDigest(setup),
    ...seen,
    install,
  });
}

/** Its requests say themselves which case they are about. */
const boundToJudge = (judge_model: string): Bound => hashed({ model: judge_model });

/** What is not as it was recorded, by name. */
export const differing = (recorded: Bound, now: Bound): readonly string[] =>
  [...new Set([...Object.keys(now), ...Object.keys(recorded)])].filter((name) => recorded[name] !== now[name]);

const hashed = (values: Readonly<Record<string, unknown>>): Bound =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, hashOf(canonicalJson(value))]),
  );
