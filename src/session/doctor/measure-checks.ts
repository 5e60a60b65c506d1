import { Failure, Mistake } from "../../domain/failure.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { cannotRun } from "./cannot-run.ts";
import { sandboxOf } from "./scenario/examine-scenario.ts";
import { type ProbedTwice, Trial } from "./scenario/trial.ts";
import type { Surroundings } from "./services.ts";

/** What a check gave on the untouched fixture, and with the reference; null where two runs differed. */
export interface MeasuredCheck {
  readonly before: "pass" | "fail" | null;
  readonly after: "pass" | "fail" | null;
  /** Why it checked nothing, also with the reference; null when it did. */
  readonly cannot_run: string | null;
}

/**
 * Runs the checks of a scenario as doctor does; empty when they cannot be run, which doctor explains.
 * @throws the signal's reason when it fires.
 */
export async function measureChecks(
  services: Surroundings,
  loaded: LoadedScenario,
  signal: AbortSignal,
): Promise<readonly MeasuredCheck[]> {
  const { setup, probe, reference_fix } = loaded.definition.task;
  const sandbox = await sandboxOf(services);
  if (sandbox instanceof Failure) return [];
  await using trial = new Trial({ loaded, sandbox, redact: services.redact });
  try {
    await trial.pristine.setup(setup, signal);
    const before = await trial.untouched(signal);
    const after = reference_fix === null ? null : await trial.fixed(reference_fix.patch, signal);
    return (probe?.checks ?? []).map((_, index) => ({
      before: seen(before, index),
      after: seen(after, index),
      cannot_run: whyNot(after, index),
    }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Failure || error instanceof Mistake) return [];
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
