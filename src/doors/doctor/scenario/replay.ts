import { openTapes } from "../../../comparison/planning/session-tapes.ts";
import { type Check, pass } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DeclaredScenario } from "../services.ts";

/** What is missing or does not fit is a Failure, which says so. */
export const replayTapes: Check<DeclaredScenario> = {
  id: "replay.tapes",
  title: "Recordings to replay",
  async run({ services, loaded }) {
    if (services.tapes?.mode !== "replay") return pass(IDLE.no_recording);
    const tapes = await openTapes(services, loaded.definition, {});
    return pass(`they fit: ${tapes?.replayed.join(", ") || "nobody asks a provider"}`);
  },
};
