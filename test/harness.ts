import { lookup } from "node:dns/promises";
import { join } from "node:path";
import type { EndpointServices } from "../src/arms/endpoint/endpoint.ts";
import { Credentials } from "../src/arms/model/credentials.ts";
import { modelResolver } from "../src/arms/model/resolve-model.ts";
import { upstreams } from "../src/arms/model/upstream.ts";
import { THIS_HOST } from "../src/arms/sandbox/host.ts";
import { Sandboxes } from "../src/arms/sandbox/sandboxes.ts";
import { prepareSession, type RunOptions } from "../src/comparison/planning/prepare-session.ts";
import { Register, type SessionServices } from "../src/comparison/planning/services.ts";
import { loadScenarioFile } from "../src/comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../src/comparison/scenario/loaded-scenario.ts";
import { startSession } from "../src/comparison/session/start-session.ts";
import type { Arm } from "../src/domain/arm.ts";
import type { RunEvent } from "../src/domain/event.ts";
import { NO_PRICES } from "../src/domain/price-list.ts";
import type { SessionOutcome } from "../src/domain/session.ts";
import { followRun } from "../src/doors/operation/follow-run.ts";
import { systemClock, systemEntropy } from "../src/runtime/clock.ts";
import { Semaphore } from "../src/runtime/semaphore.ts";
import { memoryStore } from "../src/store/memory.ts";
import { SANDBOX_MODE } from "./machine.ts";
export const SCENARIOS = join(import.meta.dir, "../scenarios");
/** Tables, which no single run takes whole. */
export const EXAMPLES = join(import.meta.dir, "../examples");

/** Shared, so that bubblewrap is tried once. */
const SANDBOXES = new Sandboxes(THIS_HOST);

/** A whole system in memory. It knows nothing of the outside but `environment`. */
export function testServices(
  environment: Readonly<Record<string, string>> = {},
  changes: Partial<SessionServices> = {},
): SessionServices {
  const credentials = new Credentials(environment);
  const models = { credentials, clock: systemClock, limiter: new Semaphore(16) };
  return {
    clock: systemClock,
    arm_clock: changes.clock ?? systemClock,
    entropy: systemEntropy,
    store: memoryStore(),
    runs: new Register(),
    series: new Register(),
    slots: new Semaphore(4, 100),
    resolveModel: modelResolver(models),
    openUpstream: upstreams(models),
    endpoints: {
      rules: {
        ...{ allowed: [], server: false, own_ports: new Set(), own_addresses: () => [] },
        lookup: (host) => lookup(host, { all: true }) as ReturnType<EndpointServices["rules"]["lookup"]>,
      },
      header: (variable) => credentials.endpointHeader(variable),
      ...{ retry_ms: 0, version: "test" },
    },
    redact: credentials.redactSecrets,
    sandbox: SANDBOX_MODE,
    sandboxes: SANDBOXES,
    judge_model: undefined,
    prices: NO_PRICES,
    keep_workspaces: false,
    notice: () => undefined,
    version: "0.1.6",
    ...changes,
  };
}

/** A bundled scenario without its pauses. */
export async function bundled(name: string): Promise<LoadedScenario> {
  const loaded = await loadScenarioFile(join(SCENARIOS, `${name}.yaml`));
  const [first, second] = loaded.definition.arms;
  return { ...loaded, definition: { ...loaded.definition, arms: [atOnce(first), atOnce(second)] } };
}

/** What tells the arms of a bundled scenario apart, or both right, in the place of its test suites. */
const QUICK_CHECKS = { "pager-last-page": "grep -q Math.ceil src/pager.ts", "extract-rate-limit": "true" };

/** A bundled scenario that ends as it does, without the commands that take most of its time: test suites, run by arms and checks. */
export async function light(name: keyof typeof QUICK_CHECKS): Promise<LoadedScenario> {
  const { definition, ...loaded } = await bundled(name);
  const { task, policies } = definition;
  const [first, second] = definition.arms;
  const [check] = task.probe?.checks ?? [];
  if (!task.probe || !check) throw new Error(`${name} has checks`);
  const checks = [{ ...check, run: QUICK_CHECKS[name], output_matches: null, before: null }];
  return {
    ...loaded,
    definition: {
      ...definition,
      task: { ...task, probe: { ...task.probe, checks } },
      arms: [withoutCommands(first), withoutCommands(second)],
      policies: { ...policies, required: [] },
    },
  };
}

/** A turn that calls nothing would be its last. */
const withoutCommands = (arm: Arm): Arm => ({
  ...arm,
  script: (arm.script ?? []).map(({ calls, ...turn }) => ({
    ...turn,
    ...(calls && { calls: calls.map((call) => ("run_command" in call ? { list_files: {} } : call)) }),
  })),
});

const atOnce = (arm: Arm): Arm => ({ ...arm, script: arm.script?.map((turn) => ({ ...turn, delay_ms: 0 })) ?? null });

export interface RunResult {
  readonly outcome: SessionOutcome;
  readonly events: readonly RunEvent[];
}

/** Runs one session. Gives its outcome and every event. */
export async function runOnce(
  services: SessionServices,
  loaded: LoadedScenario,
  options: RunOptions = {},
): Promise<RunResult> {
  const plan = await prepareSession(services, loaded, options);
  const { session_id, done } = await startSession(services, plan);
  const events = announced(services, session_id);
  return { outcome: await done, events: await events };
}

/** Everything that a session announces, when it has ended. */
export const announced = (services: Pick<SessionServices, "store">, session_id: string): Promise<RunEvent[]> =>
  Array.fromAsync(followRun(services.store, session_id), ({ event }) => event);
