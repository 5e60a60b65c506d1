import { openTapes } from "../../session/session-tapes.ts";
import { type Check, pass } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";

/** What is missing or does not fit is a Failure, which says so. */
export const replayTapes: Check<DeclaredScenario> = {
  id: "replay.tapes",
  title: "Recordings to replay",
  async run({ services, loaded }) {
    if (services.tapes?.mode !== "replay") return pass("none is replayed");
    const tapes = await openTapes(services, loaded.definition, {});
    return pass(`they fit: ${tapes?.replayed.join(", ") || "nobody asks a provider"}`);
  },
};
