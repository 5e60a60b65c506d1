import { cannotRun } from "../../comparison/evidence/cannot-run.ts";
import type { MeasuredDraft } from "../../comparison/scenario/draft-scenario.ts";
import type { LoadedScenario } from "../../comparison/scenario/loaded-scenario.ts";
import { Failure, Mistake } from "../../domain/failure.ts";
import { sandboxOf } from "./scenario/diagnose-scenario.ts";
import { DryRun, type ProbedTwice } from "./scenario/dry-run.ts";
import type { Services } from "./services.ts";

/**
 * Runs the checks of a scenario as doctor does; says why when they cannot be run.
 * @throws the signal's reason when it fires.
 */
export async function measureChecks(
  services: Services,
  loaded: LoadedScenario,
  signal: AbortSignal,
): Promise<MeasuredDraft> {
  const { setup, probe, reference_fix } = loaded.definition.task;
  const sandbox = await sandboxOf(services);
  if (sandbox instanceof Failure) return { checks: [], failed: sandbox.message };
  await using dryRun = new DryRun({ loaded, sandbox, redact: services.redact });
  try {
    await dryRun.pristine.setup(setup, signal);
    const before = await dryRun.untouched(signal);
    const after = reference_fix === null ? null : await dryRun.solved(signal);
    const checks = (probe?.checks ?? []).map((_, index) => ({
      before: seen(before, index),
      after: seen(after, index),
      cannot_run: whyNot(after, index),
      reason: after?.[0].checks[index]?.reason ?? null,
    }));
    return { checks, failed: null };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Failure || error instanceof Mistake)
      return { checks: [], failed: services.redact(error.message) };
    throw error;
  }
}

function whyNot(probed: ProbedTwice | null, index: number): string | null {
  const result = probed?.[0].checks[index];
  return result === undefined ? null : cannotRun(result);
}

function seen(probed: ProbedTwice | null, index: number): "pass" | "fail" | null {
  const [first, second] = (probed ?? []).map(({ checks }) => checks[index]?.status === "pass");
  if (first === undefined || first !== second) return null;
  return first ? "pass" : "fail";
}
