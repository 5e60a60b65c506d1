import type { Failure } from "../domain/failure.ts";
import type { Services } from "./services.ts";

/** Stops every run in flight and waits until each is stored and its workspaces are gone. */
export async function stopRuns({ runs }: Pick<Services, "runs">, reason: Failure): Promise<void> {
  for (let left = runs.all(); left.length > 0; left = runs.all()) {
    for (const run of left) run.cancel(reason);
    await Promise.allSettled(left.map(({ done }) => done));
  }
}
