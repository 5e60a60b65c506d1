import { join } from "node:path";
import { judgesNamed } from "../../domain/judge-name.ts";
import type { Arm } from "../../domain/scenario.ts";
import { OFFLINE_PROVIDERS, splitModelRef } from "../../model/model-ref.ts";
import type { Needs } from "../../store/shared-store.ts";
import { serversOf } from "../mcp-tools.ts";
import type { SessionPlan } from "../prepare-session.ts";
import { NOT_NEEDED } from "../sandbox-for.ts";
import type { SessionServices } from "../services.ts";

/** What a worker must have to run it as it was planned. */
export async function needsOf(
  services: Pick<SessionServices, "agents_dir">,
  { scenario, settings, chosen, tapes }: SessionPlan,
): Promise<Needs> {
  const { arms } = scenario;
  const replayed = settings.replayed ?? [];
  const models = arms.filter(({ id }) => !replayed.includes(id)).map(({ model }) => model);
  const judges = replayed.includes("judge") ? [] : judgesNamed(chosen.judge_model);
  const needs = [
    ...[...models, ...judges].flatMap(providerNeed),
    ...(settings.sandbox_note === NOT_NEEDED ? [] : [`sandbox:${settings.sandbox}`]),
    ...(await installNeeds(services, arms)),
    ...(tapes ? ["recordings"] : []),
  ];
  return [...new Set(needs)].sort();
}

const providerNeed = (model: string): string[] => {
  const { provider } = splitModelRef(model);
  return OFFLINE_PROVIDERS.includes(provider) ? [] : [`provider:${provider}`];
};

async function installNeeds({ agents_dir }: Pick<SessionServices, "agents_dir">, arms: readonly Arm[]) {
  const names = arms.flatMap((arm) => [arm.agent?.install ?? [], serversOf(arm).map(({ install }) => install)].flat());
  if (agents_dir === undefined) return [];
  return await Promise.all([...new Set(names)].map((name) => installNeed(agents_dir, name)));
}

/** By its packages and their versions. */
export async function installNeed(agents_dir: string, install: string): Promise<string> {
  const { installDigest } = await import("../../agent/recipe/install.ts");
  return `install:${install}@${(await installDigest(join(agents_dir, install), null)).slice(0, 16)}`;
}
