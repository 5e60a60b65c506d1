import { Type } from "@sinclair/typebox";
import { providersAmong } from "../../comparison/planning/need-names.ts";
import { workersWithSlots } from "../../comparison/planning/needs.ts";
import { Provider } from "../../domain/provider.ts";
import { providerName, providerOf } from "../../domain/provider-name.ts";
import { record } from "../../domain/schema.ts";
import { operation } from "./operation.ts";
import type { Services } from "./services.ts";

export const listProviders = operation({
  name: "list_providers",
  title: "List providers",
  summary: "Which providers have a key, and which of their models a price. Shows no key and tries none.",
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
