import { identityOf } from "../../domain/answering.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { sha256 } from "../../domain/sha256.ts";
import { fixtureForDigest, type ProbeCheck, setupForDigest } from "../../domain/task.ts";

/**
 * SHA-256 over the definition, which holds the digests of every byte it refers to. How it is replayed is not in it: that
 * changes nothing of what runs, and a series goes on.
 */
export const scenarioDigest = ({ replay: _replay, task, ...definition }: Scenario): string =>
  sha256(canonicalJson({ ...definition, task: { ...task, setup: setupForDigest(task.setup) } }));

/**
 * SHA-256 over what two arms must share to be compared: task, fixture, probe, reference, policies, rubric. The arms, the
 * judge's model and price and the places of files do not count. A difference between two sessions is `scenario_drift`.
 * @param day as for `sharedWork`
 */
export function comparabilityDigest({ rubric, input, ...shared }: Scenario, day?: string): string {
  const { model: _model, price_per_mtok: _price, ...judging } = rubric.judge;
  return sha256(
    canonicalJson({
      ...sharedWork(shared, day),
      rubric: { ...rubric, judge: judging },
      ...(input && { input }),
    }),
  );
}

/**
 * What two arms must share for their work to be of one kind. The judging does not count.
 * @param day on which they ran, which tells posted checks apart that have no version; absent: nothing does
 */
export function sharedWork({ task, policies }: Pick<Scenario, "task" | "policies">, day?: string) {
  const fixture = fixtureForDigest(task.fixture);
  const probe = task.probe && {
    files: task.probe.files.digest,
    checks: task.probe.checks.map((check) => knownAs(check, day)),
  };
  const reference_fix = task.reference_fix?.digest ?? null;
  const image = task.image && { image: task.image.digest };
  return { task: { ...task, setup: setupForDigest(task.setup), ...image, fixture, probe, reference_fix }, policies };
}

/** A check as digests hold it: what is posted goes to the same program, on whatever port of this machine it listens. */
const knownAs = ({ posted, ...check }: ProbeCheck, day: string | undefined) =>
  posted ? { ...check, posted: identityOf(posted, day) } : check;

/** What identifies a judge in self-tests and profiles; a verdict has these fields. */
interface JudgeKey {
  readonly model: string;
  readonly protocol: string;
  readonly prompt_digest: string | null;
}

/** Self-tests of one key are about the same: what runs must share to be compared, and the judge. */
export const selfTestKey = (comparability: string, { model, protocol, prompt_digest }: JudgeKey): string =>
  sha256(canonicalJson({ comparability, judge: { model, protocol, prompt_digest } }));
