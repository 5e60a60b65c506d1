import type { Arm } from "../../domain/arm.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { fixtureForDigest, setupForDigest, type Task } from "../../domain/task.ts";
import { hashOf } from "./matching/asked.ts";

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
export const boundToJudge = (judge_model: string): Bound => hashed({ model: judge_model });

/** What is not as it was recorded, by name. */
export const differing = (recorded: Bound, now: Bound): readonly string[] =>
  [...new Set([...Object.keys(now), ...Object.keys(recorded)])].filter((name) => recorded[name] !== now[name]);

const hashed = (values: Readonly<Record<string, unknown>>): Bound =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, hashOf(canonicalJson(value))]),
  );
