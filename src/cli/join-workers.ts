import type { Services } from "../operation/services.ts";

export interface Joining {
  /** Sessions at once; 0: others run what is accepted here. */
  readonly slots: number;
  /** Fires when it takes no more work. */
  readonly stopping: AbortSignal;
}

/** On a shared store: from now on it runs what anybody accepts, and is seen by all. Nothing of it is loaded otherwise. */
export async function joinWorkers(services: Services, { slots, stopping }: Joining): Promise<void> {
  if (!services.shared) return;
  const [{ startWorker }, { capabilitiesOf }] = await Promise.all([
    import("../session/shared/worker.ts"),
    import("../session/shared/capabilities.ts"),
  ]);
  const providers = services.providers().flatMap(({ provider, present }) => (present ? [provider] : []));
  const capabilities = await capabilitiesOf(services, providers);
  startWorker(services, services.shared, { slots, capabilities, stopping });
}
