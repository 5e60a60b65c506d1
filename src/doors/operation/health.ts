import { Type } from "@sinclair/typebox";
import { providersAmong, workersWithSlots } from "../../comparison/planning/needs.ts";
import { Failure } from "../../domain/failure.ts";
import { Health } from "../../domain/health.ts";
import { providerName, providerOf } from "../../domain/model-name.ts";
import { Provider } from "../../domain/provider.ts";
import { record } from "../../domain/schema.ts";
import { operation, type Services } from "./operation.ts";

export const getHealth = operation({
  name: "get_health",
  title: "Liveness",
  summary:
    "Liveness and version; always cheap. It says whether the database can be reached, and answers 200 even if not: restarting the process would not help.",
  input: record("HealthRequest", {}),
  output: Health,
  run: healthOf,
});

export const getReadiness = operation({
  name: "get_readiness",
  title: "Readiness",
  summary:
    "Whether this server can serve requests: like health, but 503 while its database cannot be reached or its state directory is gone. Meant for a load balancer before several servers.",
  input: record("ReadinessRequest", {}),
  output: Health,
  async run(services) {
    services.store.demandPlace?.();
    const health = await healthOf(services);
    if (health.database !== "unreachable") return health;
    throw new Failure("not_ready", "the database does not answer", { retryable: true });
  },
});

async function healthOf({ clock, started_ticks, version, shared }: Services): Promise<Health> {
  const alive = { status: "ok" as const, version, uptime_ms: Math.round(clock.ticks() - started_ticks) };
  return shared ? { ...alive, database: (await shared.reachable()) ? "reachable" : "unreachable" } : alive;
}

export const listProviders = operation({
  name: "list_providers",
  title: "List providers",
  summary: "Which providers have a key, and which of their models have a price. It shows no key and tries none.",
  input: record("ProvidersRequest", {}),
  output: Type.Array(Provider),
  async run(services) {
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
  },
});

/** Undefined where runs are this process's own. */
async function providersOfWorkers({ shared }: Pick<Services, "shared">): Promise<ReadonlySet<string> | undefined> {
  if (!shared) return undefined;
  const workers = await workersWithSlots(shared);
  return new Set(workers.flatMap(({ capabilities }) => providersAmong(capabilities)));
}
