import type { Failure } from "../domain/failure.ts";
import type { Services } from "./services.ts";

/** Stops every run in flight and waits until each is stored and its workspaces are gone. */
export async function stopRuns({ live }: Pick<Services, "live">, reason: Failure): Promise<void> {
  for (let runs = live.all(); runs.length > 0; runs = live.all()) {
    for (const run of runs) run.cancel(reason);
    await Promise.all(runs.map((run) => ended(run.events())));
  }
}

async function ended(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
