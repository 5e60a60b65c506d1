import { counted } from "../../../domain/counted.ts";
import { Failure } from "../../../domain/failure.ts";
import { type Check, fail, pass, warn } from "../check.ts";
import type { Services } from "../services.ts";

export const scenariosDirectory: Check<Services> = {
  id: "scenarios.directory",
  title: "Scenarios directory",
  async run({ catalog }) {
    try {
      const { length } = await catalog.list();
      if (length > 0) return pass(counted(length, "scenario"));
      return warn("no scenario file in it", "add one, or name another directory with --scenarios-dir");
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return fail(error.message, "create it, or name another directory with --scenarios-dir");
    }
  },
};

/** Broken files are listed with the others and do not affect them. */
export const scenarioFiles: Check<Services> = {
  id: "scenarios.files",
  title: "Scenario files",
  needs: ["scenarios.directory"],
  async run({ catalog }) {
    const errors = (await catalog.list()).flatMap(({ error }) => error ?? []);
    return errors.length === 0
      ? pass("each can be read")
      : warn(errors.join("\n"), "fix what is named; the other scenarios can still be run");
  },
};
