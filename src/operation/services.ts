import type { ScenarioCatalog } from "../scenario/scenario-catalog.ts";
import type { DoctorServices } from "../session/doctor/doctor.ts";
import type { SessionServices } from "../session/services.ts";

/** Every side effect of the program, as values. */
export interface Services extends SessionServices, DoctorServices {
  readonly catalog: ScenarioCatalog;
  /** Monotonic milliseconds when the program started. */
  readonly started_ticks: number;
}
