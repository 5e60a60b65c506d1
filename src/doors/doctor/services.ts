import type { ProviderStatus } from "../../arms/model/resolve-model.ts";
import type { SelfTests } from "../../comparison/audit/self-tests.ts";
import type { SessionServices } from "../../comparison/planning/services.ts";
import type { LoadedScenario } from "../../comparison/scenario/loaded-scenario.ts";
import type { ScenarioCatalog } from "../../comparison/scenario/scenario-catalog.ts";
import type { WorkerRow } from "../../store/shared-store.ts";
import type { Diagnoses } from "./diagnoses.ts";

/** Every side effect and setting of a program that answers many requests, as values. */
export interface Services extends SessionServices {
  readonly catalog: ScenarioCatalog;
  /** Monotonic milliseconds when the program started. */
  readonly started_ticks: number;
  /** As given; undefined: sessions are kept in memory. */
  readonly state_dir: string | undefined;
  /** As given; undefined: no web UI is served. */
  readonly web_dir: string | undefined;
  /** Host name or address that this process listens on; undefined: it serves no HTTP. */
  readonly listen_host: string | undefined;
  /** Hosts and origins that it was told to answer; absent: it serves no HTTP. */
  readonly allowed?: { readonly hosts: readonly string[]; readonly origins: readonly string[] };
  /** Which providers can be called; no secret in it. */
  readonly providers: () => readonly ProviderStatus[];
  /** One for the whole process. */
  readonly diagnoses: Diagnoses;
  /** One for the whole process. */
  readonly self_tests: SelfTests;
  /** The workers that what is accepted here may go to. Absent: it runs here, or nobody knows them. */
  readonly workers?: readonly WorkerRow[] | undefined;
  /** Told the title of each check before it is tried. */
  readonly announce?: (title: string) => void;
}

/** A scenario as its file says it, and the services that its run would have. */
export interface DeclaredScenario {
  readonly services: Services;
  readonly loaded: LoadedScenario;
}
