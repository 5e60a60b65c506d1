import { join } from "node:path";
import { systemClock, systemEntropy } from "../src/clock.ts";
import type { RunEvent } from "../src/domain/event.ts";
import { NO_PRICES } from "../src/domain/price-list.ts";
import type { Arm } from "../src/domain/scenario.ts";
import type { SessionOutcome } from "../src/domain/session.ts";
import { CallLimiter } from "../src/model/call-limiter.ts";
import { Credentials } from "../src/model/credentials.ts";
import { modelResolver } from "../src/model/resolve-model.ts";
import { loadScenarioFile } from "../src/scenario/load-scenario.ts";
import type { LoadedScenario } from "../src/scenario/loaded-scenario.ts";
import { prepareSession, type RunOptions } from "../src/session/prepare-session.ts";
import type { SessionServices } from "../src/session/services.ts";
import { SessionIds } from "../src/session/session-id.ts";
import { Slots } from "../src/session/slots.ts";
import { startSession } from "../src/session/start-session.ts";
import { memoryStore } from "../src/store/memory.ts";
import { LiveRuns } from "../src/stream/live-runs.ts";
import { SANDBOX_MODE } from "./machine.ts";

export const SCENARIOS = join(import.meta.dir, "../scenarios");

/** A whole system in memory; `environment` is all that it knows of the outside. */
export function testServices(
  environment: Readonly<Record<string, string>> = {},
  changes: Partial<SessionServices> = {},
): SessionServices {
  const credentials = new Credentials(environment);
  return {
    clock: systemClock,
    entropy: systemEntropy,
    store: memoryStore(),
    live: new LiveRuns(),
    slots: new Slots(4, 100),
    ids: new SessionIds(),
    resolveModel: modelResolver({ credentials, clock: systemClock, limiter: new CallLimiter(16) }),
    redact: credentials.redactSecrets,
    sandbox: SANDBOX_MODE,
    judge_model: undefined,
    prices: NO_PRICES,
    keep_workspaces: false,
    notice: () => undefined,
    version: "0.1.6",
    ...changes,
  };
}

/** A bundled scenario without the pauses that make it pleasant to watch. */
export async function bundled(name: string): Promise<LoadedScenario> {
  const loaded = await loadScenarioFile(join(SCENARIOS, `${name}.yaml`));
  const [first, second] = loaded.definition.arms;
  return { ...loaded, definition: { ...loaded.definition, arms: [atOnce(first), atOnce(second)] } };
}

const atOnce = (arm: Arm): Arm => ({ ...arm, script: arm.script?.map((turn) => ({ ...turn, delay_ms: 0 })) ?? null });

export interface RunResult {
  readonly outcome: SessionOutcome;
  readonly events: readonly RunEvent[];
}

/** One session from preparation to outcome, with everything that was announced. */
export async function runOnce(
  services: SessionServices,
  loaded: LoadedScenario,
  options: RunOptions = {},
): Promise<RunResult> {
  const plan = await prepareSession(services, loaded, options);
  const { session_id, done } = await startSession(services, plan);
  const events = Array.fromAsync(services.live.get(session_id)?.events() ?? []);
  return { outcome: await done, events: await events };
}
