import { splitModelRef } from "../../arms/model/model-ref.ts";
import type { Sandbox } from "../../arms/sandbox/sandbox.ts";
import { type ChosenSandbox, Sandboxes } from "../../arms/sandbox/sandboxes.ts";
import { Failure } from "../../domain/failure.ts";
import type { SandboxMode } from "../../domain/session-settings.ts";
import type { WorkerRow } from "../../store/shared-store.ts";
import { needOfProvider, SANDBOX_NEED, workersWithSlots } from "../planning/needs.ts";
import type { SessionServices } from "../planning/services.ts";

/**
 * Services to plan a run with that others may do: keys and sandbox count as there when some worker has them. What is planned
 * with them is not run here.
 * @throws Failure when the store cannot be read
 */
export async function planningServices<S extends SessionServices>(services: S): Promise<S> {
  return services.shared ? planningWith(services, await workersWithSlots(services.shared)) : services;
}

/** As `planningServices`, with the workers that are known. */
export function planningWith<S extends SessionServices>(services: S, workers: readonly WorkerRow[]): S {
  const capabilities = new Set(workers.flatMap((worker) => worker.capabilities));
  const orByWorker = <T>(ref: string, here: () => T, byWorker: T): T => {
    try {
      return here();
    } catch (error) {
      const isKnown = error instanceof Failure && error.code === "credentials_missing";
      if (isKnown && capabilities.has(needOfProvider(splitModelRef(ref).provider))) return byWorker;
      throw error;
    }
  };
  const { resolveModel, openUpstream, sandboxes } = services;
  return {
    ...services,
    resolveModel: (ref, script, recording) =>
      orByWorker(ref, () => resolveModel(ref, script, recording), { ref, complete: notHere }),
    openUpstream: (ref, wire, recording) =>
      orByWorker(ref, () => openUpstream(ref, wire, recording), {
        ...{ model: splitModelRef(ref).model, wire },
        conceal: (text) => text,
        send: notHere,
      }),
    sandboxes: capabilities.has(SANDBOX_NEED) ? new SandboxesOfWorkers(sandboxes.host) : sandboxes,
  };
}

const notHere = async (): Promise<never> => {
  throw new Failure("internal", "this was planned for another machine");
};

/** Where none works here, that of a worker is planned with. */
class SandboxesOfWorkers extends Sandboxes {
  override async choose(mode: SandboxMode, commandsFromModel: boolean): Promise<ChosenSandbox> {
    if (mode === "none") return await super.choose(mode, commandsFromModel);
    try {
      return await super.choose("bubblewrap", commandsFromModel);
    } catch {
      return { sandbox: SANDBOX_OF_WORKER, note: null };
    }
  }

  override async withOpenNetwork(sandbox: Sandbox, commandsFromModel: boolean): Promise<ChosenSandbox> {
    return sandbox === SANDBOX_OF_WORKER
      ? { sandbox, note: null }
      : await super.withOpenNetwork(sandbox, commandsFromModel);
  }
}

const SANDBOX_OF_WORKER: Sandbox = { kind: "bubblewrap", owner: null, run: notHere, start: notHere };
