import { providersAmong, workersWithSlots } from "../../comparison/planning/needs.ts";
import { oneMember } from "../../comparison/scenario/loaded-scenario.ts";
import { Failure } from "../../domain/failure.ts";
import type { Health } from "../../domain/health.ts";
import { providerName, providerOf } from "../../domain/model-name.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import type { SessionSummaryRequest } from "../../domain/session-list.ts";
import { summarize } from "../../store/page-sessions.ts";
import { readSession } from "../../store/read-session.ts";
import { drained } from "../../store/shared-store.ts";
import type { Operation, Services } from "./operation.ts";

export const getHealth: Operation<"getHealth"> = healthOf;

export async function getReadiness(services: Services): Promise<Health> {
  services.store.demandPlace?.();
  const health = await healthOf(services);
  if (health.database === "unreachable")
    throw new Failure("not_ready", "the database does not answer", { retryable: true });
  await demandUndrained(services, "not_ready");
  return health;
}

/** @throws Failure while no process on the shared store takes work */
export async function demandUndrained({ shared }: Pick<Services, "shared">, code: "not_ready" | "overloaded") {
  const since = await shared?.drain.since();
  if (since !== undefined) throw drained(since, code);
}

async function healthOf({ clock, started_ticks, version, shared }: Services): Promise<Health> {
  const alive = { status: "ok" as const, version, uptime_ms: Math.round(clock.ticks() - started_ticks) };
  return shared ? { ...alive, database: (await shared.reachable()) ? "reachable" : "unreachable" } : alive;
}

export const listProviders: Operation<"listProviders"> = async (services) => {
  const known = services.providers();
  const priced = Map.groupBy(services.prices.keys(), (model) => providerOf(model) ?? "");
  const ofWorkers = await providersOfWorkers(services);
  const names = new Set([...known.map(({ provider }) => provider), ...(ofWorkers ?? []), ...priced.keys()]);
  return [...names].map((provider) => {
    const own = known.find((one) => providerName(one.provider) === provider);
    const here = own?.present ?? false;
    return {
      ...{ provider, here, runs: ofWorkers?.has(provider) ?? here, local: own?.local ?? false },
      priced: priced.get(provider) ?? [],
    };
  });
};

/** Undefined where runs are this process's own. */
async function providersOfWorkers({ shared }: Pick<Services, "shared">): Promise<ReadonlySet<string> | undefined> {
  if (!shared) return undefined;
  const workers = await workersWithSlots(shared);
  return new Set(workers.flatMap(({ capabilities }) => providersAmong(capabilities)));
}

export const listScenarios: Operation<"listScenarios"> = async ({ catalog }) => [...(await catalog.list())];

export const getScenario: Operation<"getScenario"> = async ({ catalog }, { name, input }) => {
  const loaded = await catalog.get(name);
  // A request without an input gets the file as it is written, with its templates.
  return (input === undefined ? loaded : await oneMember(loaded, input)).definition;
};

export const listSessions: Operation<"listSessions"> = async ({ store }, query, signal) =>
  store.persistent ? [...(await store.list(query, signal))] : [];

export const summarizeSessions: Operation<"summarizeSessions"> = async ({ store }, filter, signal) =>
  await (store.persistent ? store : NOTHING).summarize(filter, signal);

/** Sessions that only memory holds are listed nowhere. */
const NOTHING = { summarize: async (filter: SessionSummaryRequest) => summarize([], filter) };

export const getSession: Operation<"getSession"> = async ({ store }, { id }) => await findSession(store, id);

/** @throws Failure `unknown_session` */
export async function findSession(store: Services["store"], id: string): Promise<SessionOutcome> {
  const outcome = await readSession(store, id);
  if (outcome) return outcome;
  throw new Failure("unknown_session", `there is no session "${id.slice(0, 100)}"`);
}
