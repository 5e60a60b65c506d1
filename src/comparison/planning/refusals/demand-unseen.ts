import { Failure } from "../../../domain/failure.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { isRanArm } from "../imported-runner.ts";

/**
 * Refuses to give arms what they are tested with. Arms that ran elsewhere are given nothing.
 * @throws Failure `invalid_request` naming the files, and what to write instead
 */
export function demandUnseen({ file, definition, exposed = [] }: LoadedScenario): void {
  if (exposed.length === 0 || definition.arms.every(isRanArm)) return;
  const lines = exposed.map(
    ({ among, found, mend }) => `${file}: ${among} shows arms what they are tested with: ${found.join("; ")}\n${mend}`,
  );
  throw new Failure("invalid_request", lines.join("\n"), { details: { field: "scenario" } });
}
