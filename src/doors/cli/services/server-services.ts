import { statSync } from "node:fs";
import { SelfTests } from "../../../comparison/audit/self-tests.ts";
import type { CatalogOptions, ScenarioCatalog } from "../../../comparison/scenario/scenario-catalog.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { Diagnoses } from "../../doctor/diagnoses.ts";
import type { Services } from "../../operation/operation.ts";
import { UsageError } from "../flags/arguments.ts";
import { openServices, type ServiceOptions } from "./services.ts";

export interface ServerOptions extends Omit<ServiceOptions, "scenarios_dirs"> {
  readonly scenarios_dir: string;
  readonly git_fixtures: boolean;
  readonly web_dir: string | undefined;
  /** Absent: no HTTP is served. */
  readonly listen_host: string | undefined;
  readonly allowed?: Services["allowed"];
  /** Default: those of a server, whose callers wait for an answer. */
  readonly diagnoses?: Diagnoses;
}

/**
 * The services of serve and mcp, which answer many requests.
 * @throws Failure and UsageError as `openStore` does, UsageError for a file in the place of a directory
 */
export async function openServerServices(options: ServerOptions): Promise<Services & AsyncDisposable> {
  const started_ticks = systemClock.ticks();
  const { scenarios_dir, state_dir, web_dir, listen_host, allowed } = options;
  demandDirectory(scenarios_dir);
  const { openStore, ...services } = await openServices({ ...options, scenarios_dirs: [scenarios_dir] });
  return {
    ...services,
    ...(await openStore()),
    catalog: catalogWhenAsked(scenarios_dir, options),
    started_ticks,
    state_dir,
    web_dir,
    listen_host,
    ...(allowed && { allowed }),
    diagnoses: options.diagnoses ?? new Diagnoses(),
    self_tests: new SelfTests(),
  };
}

/** A missing directory is allowed: it may be made later. */
function demandDirectory(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  const hint = stats.isFile() ? "; name the directory that it lies in, or use abeval run" : "";
  throw new UsageError(`--scenarios-dir ${path}: is not a directory${hint}`);
}

/** Loads the reader of scenarios with the first scenario, so that a server answers sooner. */
function catalogWhenAsked(directory: string, options: CatalogOptions): ScenarioCatalog {
  let opened: Promise<ScenarioCatalog> | undefined;
  const open = () => {
    opened ??= import("../../../comparison/scenario/scenario-catalog.ts").then(({ openCatalog }) =>
      openCatalog(directory, options),
    );
    return opened;
  };
  return { directory, list: async () => (await open()).list(), get: async (name) => (await open()).get(name) };
}
