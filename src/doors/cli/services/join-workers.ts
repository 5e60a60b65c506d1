import { removeTree } from "../../../arms/sandbox/remove-tree.ts";
import { makeTempDir } from "../../../arms/sandbox/temp-dir.ts";
import type { Services } from "../../operation/operation.ts";

interface Joining {
  /** Sessions at once; 0: others run what is accepted here. */
  readonly slots: number;
  /** Fires when it takes no more work. */
  readonly stopping: AbortSignal;
}

/**
 * On a shared store: from now on it runs what anybody accepts, and is seen by all. What is given back removes the files that it
 * kept for that. Nothing of it is loaded otherwise.
 */
export async function joinWorkers(services: Services, { slots, stopping }: Joining): Promise<AsyncDisposable> {
  const { shared } = services;
  if (!shared) return { [Symbol.asyncDispose]: async () => undefined };
  const [{ startWorker }, { capabilitiesOf }, { MaterialsCache }] = await Promise.all([
    import("../../../comparison/session/shared/worker.ts"),
    import("../../../comparison/session/shared/capabilities.ts"),
    import("../../../comparison/scenario/materials-cache.ts"),
  ]);
  const providers = services.providers().flatMap(({ provider, present }) => (present ? [provider] : []));
  const capabilities = await capabilitiesOf(services, providers);
  const directory = makeTempDir();
  await startWorker({ services, shared, files: new MaterialsCache(directory) }, { slots, capabilities, stopping });
  return { [Symbol.asyncDispose]: () => removeTree(directory) };
}
