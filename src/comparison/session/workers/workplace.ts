import type { SharedStore } from "../../../store/shared-store.ts";
import type { SessionServices } from "../../planning/services.ts";
import type { MaterialsCache } from "../../scenario/materials-cache.ts";
import type { SeriesLooks } from "./series-looks.ts";

/** Where work is done that somebody else may have accepted. */
export interface Workplace {
  readonly services: SessionServices;
  readonly shared: SharedStore;
  /** Files of scenarios that are not on this machine. */
  readonly files: MaterialsCache;
  /** What it remembers of series whose trials it runs. */
  readonly looks: SeriesLooks;
}
