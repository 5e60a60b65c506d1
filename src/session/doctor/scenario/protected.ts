import { type Check, pass, warn } from "../check.ts";
import { without } from "./fixture.ts";
import type { Trial } from "./trial.ts";

/** Arms run commands like those of the checks; one that changes a protected file would put out whoever runs it. */
export const protectedFiles: Check<Trial> = {
  id: "probe.protected",
  title: "Checks leave protected files alone",
  needs: ["fixture.setup"],
  async run(trial, signal) {
    const { task, policies } = trial.loaded.definition;
    if (task.probe === null) return without("probe");
    if (policies.paths.protected.length === 0) return pass("nothing is protected");
    const changed = await trial.changedByChecks(policies.paths.protected, signal);
    if (changed.length === 0) return pass("none is changed");
    const named = changed.slice(0, NAMED).join(", ");
    return warn(
      `running the checks changes ${named}${changed.length > NAMED ? ` and ${changed.length - NAMED} more` : ""}`,
      "narrow policies.paths.protected, or name what the tools leave in the fixture's .gitignore",
    );
  },
};

const NAMED = 5;
