import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { refuseShortage } from "../../../domain/shortage.ts";
import type { Needs } from "../../../store/shared-store.ts";
import {
  installNeed,
  needOfEndpoint,
  needOfImage,
  needOfProvider,
  needOfSandbox,
  POSTED_CHECKS,
  PROGRAMS,
  PROTOCOLS_DONE,
} from "../../planning/needs.ts";
import type { SessionServices } from "../../planning/services.ts";
import { imagesIn } from "../../planning/task-image.ts";

type Having = Pick<SessionServices, "sandbox" | "sandboxes" | "agents_dir" | "images_dir" | "recordings" | "endpoints">;

/** What runs may need, and this process has. `providers` are those that it has keys for. */
export async function capabilitiesOf(services: Having, providers: readonly string[]): Promise<Needs> {
  const { sandbox, sandboxes, agents_dir, images_dir, recordings, endpoints } = services;
  const chosen = await sandboxes.choose(sandbox, false);
  return [
    ...providers.map(needOfProvider),
    needOfSandbox(chosen.sandbox.kind),
    ...(agents_dir === undefined ? [] : await installsIn(agents_dir)),
    ...(images_dir === undefined ? [] : await imageNeeds(images_dir)),
    ...(recordings?.mode === "replay" ? ["recordings"] : []),
    ...endpoints.rules.allowed.map(({ host }) => needOfEndpoint(host)),
    ...[PROGRAMS, POSTED_CHECKS],
    ...PROTOCOLS_DONE,
  ].sort();
}

async function imageNeeds(images_dir: string): Promise<string[]> {
  const names = (await imagesIn(images_dir)).flatMap(({ digest, known_as }) => [digest, ...known_as]);
  return [...new Set(names)].map(needOfImage);
}

async function installsIn(agents_dir: string): Promise<string[]> {
  const names = await readdir(agents_dir).catch((error: unknown) => refuseShortage(error) ?? []);
  const found = await Promise.all(
    names.map(async (name) => ((await stat(join(agents_dir, name)).catch(() => null))?.isDirectory() ? name : [])),
  );
  return await Promise.all(found.flat().map((name) => installNeed(agents_dir, name)));
}
