import type { Failure } from "../../domain/failure.ts";
import type { Services } from "./services.ts";

/** Stops every series and every run in flight, and waits until each is stored and its workspaces are gone. */
export async function stopRuns({ runs, series }: Pick<Services, "runs" | "series">, reason: Failure): Promise<void> {
  const inFlight = () => [...series.all(), ...runs.all()];
  for (let left = inFlight(); left.length > 0; left = inFlight()) {
    for (const one of left) one.cancel(reason);
    await Promise.allSettled(left.map(({ done }) => done));
  }
}
