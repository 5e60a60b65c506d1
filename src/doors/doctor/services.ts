import type { ProviderStatus } from "../../arms/model/check-model.ts";
import type { SelfTests } from "../../comparison/audit/self-tests.ts";
import type { SessionServices } from "../../comparison/planning/services.ts";
import type { LoadedScenario } from "../../comparison/scenario/loaded-scenario.ts";
import type { ScenarioCatalog, ScenarioIntake } from "../../comparison/scenario/scenario-catalog.ts";
import { planningWith } from "../../comparison/session/plan-for-workers.ts";
import type { WorkerRow } from "../../store/shared-store.ts";
import type { Diagnoses } from "./diagnoses.ts";

/** Every side effect and setting of a program that answers many requests, as values. */
export interface Services extends SessionServices {
  readonly catalog: ScenarioCatalog;
  /** Takes scenarios that callers send. Absent: none are taken. */
  readonly intake?: ScenarioIntake | undefined;
  /** Monotonic milliseconds when the program started. */
  readonly started_ticks: number;
  /** The directory that the user gave; undefined when sessions are kept in memory. */
  readonly state_dir: string | undefined;
  /** The directory that the user gave; undefined when no web UI is served. */
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
  /** The workers that may take accepted runs. Absent: runs stay here, or the workers are not known. */
  readonly workers?: readonly WorkerRow[] | undefined;
  /** Endpoints, programs and posted checks are sent a first question. Absent: nobody is asked. */
  readonly rehearse?: boolean;
  /** Told the title of each check before it is tried. */
  readonly announce?: (title: string) => void;
}

/** A scenario as its file says it, and the services that its run would have. */
export interface DeclaredScenario {
  readonly services: Services;
  readonly loaded: LoadedScenario;
}

/** The services that plan a run: on a shared store they include what any worker has. Nothing runs with them. */
export const plannedWith = <S extends Services>(services: S): S =>
  services.workers ? planningWith(services, services.workers) : services;

/** How many workers have it. */
export const workersWith = ({ workers = [] }: Pick<Services, "workers">, need: string): number =>
  workers.filter(({ capabilities }) => capabilities.includes(need)).length;
