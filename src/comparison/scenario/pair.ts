import { didYouMeanAmong } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { scenarioDigest } from "./digest.ts";
import type { LoadedScenario } from "./loaded-scenario.ts";

/** The scenario with two of its arms, in this order. @throws Failure `unknown_arm`, `invalid_request` where both are one */
export function pairOf(loaded: LoadedScenario, [a, b]: readonly [string, string]): LoadedScenario {
  const { definition, table } = loaded;
  if (a === b) throw new Failure("invalid_request", `arms: "${cut(a)}" is named twice; name two arms`, FIELD);
  const [first, second] = [armOf(loaded, a), armOf(loaded, b)];
  if (definition.arms.length === 2 && definition.arms[0] === first) return loaded;
  const own = { ...definition, arms: [first, second] satisfies LoadedScenario["definition"]["arms"] };
  return {
    ...loaded,
    definition: own,
    digest: scenarioDigest(own),
    ...(table && { table: { ...table, resolve: async (row) => pairOf(await table.resolve(row), [a, b]) } }),
  };
}

const FIELD = { details: { field: "arms" } };

function armOf({ definition, file }: LoadedScenario, arm_id: string) {
  const arm = definition.arms.find(({ id }) => id === arm_id);
  if (arm) return arm;
  const known = definition.arms.map(({ id }) => id);
  const told = didYouMeanAmong(arm_id, known, `its arms: ${known.join(", ")}`);
  throw new Failure("unknown_arm", `${file} has no arm "${cut(arm_id)}"${told}`, FIELD);
}

/** @throws Failure `invalid_request` for a scenario of more than two arms, which run together in a contest */
export function demandPair({ definition: { arms }, file }: LoadedScenario): void {
  if (arms.length === 2) return;
  const ids = arms.map(({ id }) => id);
  throw new Failure(
    "invalid_request",
    `${file} has ${ids.length} arms (${ids.join(", ")}), and one run compares two: name them as arms: [${ids[0]}, ${ids[1]}], or run all as a series, which makes a contest`,
    FIELD,
  );
}
