import type { ProviderStatus } from "../../model/resolve-model.ts";
import type { ScenarioCatalog } from "../../scenario/scenario-catalog.ts";
import type { SessionServices } from "../services.ts";
import type { Examinations } from "./examinations.ts";

/** What doctor looks at besides what a session needs. */
export interface DoctorServices {
  readonly catalog: ScenarioCatalog;
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
  readonly examinations: Examinations;
  /** Told the title of each check before it is tried. */
  readonly announce?: (title: string) => void;
}

/** Everything that doctor reads. */
export type Surroundings = SessionServices & DoctorServices;
