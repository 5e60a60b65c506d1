import { Failure } from "../../../domain/failure.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { Unusable } from "../../scenario/unusable.ts";
import { isRanArm } from "../arm-source.ts";

/**
 * Refuses to give arms what they are tested with. Arms that ran elsewhere are given nothing.
 * @throws Failure `invalid_request` naming the files, and what to write instead
 */
export async function demandUnseen(
  { file, definition, findExposed }: LoadedScenario,
  agents_dir: string | undefined,
): Promise<void> {
  const exposed = definition.arms.every(isRanArm)
    ? []
    : ((await findExposed?.(agents_dir).catch(refuseUnusable)) ?? []);
  if (exposed.length === 0) return;
  const lines = exposed.map(
    ({ among, found, mend }) => `${file}: ${among} shows arms what they are tested with: ${found.join("; ")}\n${mend}`,
  );
  throw new Failure("invalid_request", lines.join("\n"), { details: { field: "scenario" } });
}

/** What could not be looked at. */
function refuseUnusable(error: unknown): never {
  if (!(error instanceof Unusable)) throw error;
  throw new Failure("invalid_request", `what arms are given ${error.message}`, { details: { field: "scenario" } });
}
