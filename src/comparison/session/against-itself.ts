import { didYouMeanAmong } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { scenarioDigest } from "../scenario/digest.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";

/**
 * The scenario with one of its arms twice, under the ids `x` and `x.again`: nothing can be better there, so whatever prefers
 * one of them is a fault of the set-up.
 * @throws Failure `unknown_arm`
 */
export function againstItself(loaded: LoadedScenario, arm_id: string): LoadedScenario {
  const { arms } = loaded.definition;
  const arm = arms.find(({ id }) => id === arm_id);
  if (arm === undefined) {
    const known = arms.map(({ id }) => id);
    const told = didYouMeanAmong(arm_id, known, `its arms: ${known.join(", ")}`);
    throw new Failure("unknown_arm", `${loaded.file}: there is no arm "${cut(arm_id)}"${told}`);
  }
  const definition = { ...loaded.definition, arms: [arm, { ...arm, id: `${arm.id}.again` }] as typeof arms };
  return { ...loaded, definition, digest: scenarioDigest(definition) };
}
