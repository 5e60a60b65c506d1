import { workersWithSlots } from "../../comparison/planning/needs.ts";
import { planningWith } from "../../comparison/session/plan-for-workers.ts";
import { Failure } from "../../domain/failure.ts";
import type { Services } from "./services.ts";

/** The services with the workers of a shared store. One that does not answer is a finding of its own check, and not waited for. */
export async function withWorkers(services: Services): Promise<Services> {
  const { shared } = services;
  if (!shared || !(await shared.reachable())) return services;
  try {
    return { ...services, workers: await workersWithSlots(shared) };
  } catch (error) {
    // It was lost just now.
    if (error instanceof Failure) return services;
    throw error;
  }
}

/** What a run would be planned with: on a shared store what some worker has counts as there. Nothing runs with it. */
export const plannedWith = <S extends Services>(services: S): S =>
  services.workers ? planningWith(services, services.workers) : services;

/** How many workers have it. */
export const workersWith = ({ workers = [] }: Pick<Services, "workers">, need: string): number =>
  workers.filter(({ capabilities }) => capabilities.includes(need)).length;
