import { openRecordings } from "../../../comparison/planning/session-recordings.ts";
import { type Check, pass } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DeclaredScenario } from "../services.ts";

/** What is missing or does not fit is a Failure, which says so. */
export const replayRecordings: Check<DeclaredScenario> = {
  id: "replay.tapes",
  title: "Recordings to replay",
  async run({ services, loaded }) {
    if (services.recordings?.mode !== "replay") return pass(IDLE.no_recording);
    const recordings = await openRecordings(services, loaded.definition, {});
    return pass(`they fit: ${recordings?.replayed.join(", ") || "nobody asks a provider"}`);
  },
};
