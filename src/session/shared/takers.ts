import type { SharedStore, WorkerRow } from "../../store/shared-store.ts";

/** The living processes that take runs. @throws Failure when the store cannot be read */
export async function takers({ workers }: Pick<SharedStore, "workers">): Promise<readonly WorkerRow[]> {
  return (await workers.alive()).filter(({ slots }) => slots > 0);
}
