import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Value } from "@sinclair/typebox/value";
import { loadScenarioFile } from "../src/comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../src/comparison/scenario/loaded-scenario.ts";
import { SessionOutcome } from "../src/domain/session.ts";
import { type Clock, systemClock, systemEntropy } from "../src/runtime/clock.ts";
import { sqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { runOnce, testServices } from "../test/harness.ts";
import { scenarioText } from "../test/http/service.ts";
import { temporaryDirectory } from "../test/temporary.ts";
import { type Campaign, type Case, hold, numbered } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { checkStateDirectory } from "./invariants.ts";
import { pick, type Random, randomOfCase, whole } from "./random.ts";

const CLOCKS = 60;
const SESSIONS = 3;
const HOUR_MS = 3_600_000;

/** Milliseconds by which administrators, virtual machines and time servers move a wall clock. 0: it stands still. */
const JUMPS_MS = [0, 0, 1, -1, -1_000, -HOUR_MS, -24 * HOUR_MS, HOUR_MS, 400 * 24 * HOUR_MS] as const;

/** The wall clock stands still, goes back and leaps while sessions run. The monotonic clock is the machine's. */
export const campaign: Campaign = {
  about: "wall clocks that stand still, go back and leap",
  at_once: 2,
  cases: async ({ seed, count }) => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "quick.yaml");
    writeFileSync(file, scenarioText("quick"));
    const loaded = await loadScenarioFile(file);
    return numbered(count(CLOCKS), (index) => clockCase(randomOfCase(seed, index), loaded));
  },
};

/** One reading in `every` makes a jump. Between jumps the time does not move. */
function jumpyClock(random: Random, every: number): Clock {
  let now = Date.parse("2026-01-01T00:00:00.000Z");
  return {
    now() {
      if (whole(random, every) === 0) now += pick(random, JUMPS_MS);
      return new Date(now);
    },
    ticks: systemClock.ticks,
  };
}

function clockCase(random: Random, loaded: LoadedScenario): Case {
  const every = 1 + whole(random, 20);
  return {
    name: `a clock that jumps at every ${every}th reading`,
    async run() {
      using directories = openCaseDirectories();
      const ids: string[] = [];
      {
        const clock = jumpyClock(random, every);
        using store = sqliteStore(directories.state, clock, systemEntropy);
        const services = testServices({}, { clock, store });
        for (let run = 0; run < SESSIONS; run += 1) {
          const { outcome, events } = await runOnce(services, loaded, { judge_model: "builtin/evidence" });
          const misfit = [...Value.Errors(SessionOutcome, outcome)].map(({ path, message }) => `${path} ${message}`);
          hold(misfit.length === 0, "an outcome of the documented form", misfit);
          hold(outcome.state === "completed", "a verdict", outcome.failure);
          hold(events.at(-1)?.event === "verdict_ready", "the verdict to be announced", events.at(-1));
          ids.push(outcome.session_id);
        }
        const listed = (await store.list()).map(({ session_id }) => session_id);
        hold(isDeepStrictEqual(listed, ids.toReversed()), "sessions newest first, by when they came", listed);
      }
      hold(new Set(ids).size === SESSIONS, "ids that are given once", ids);
      hold((await checkStateDirectory(directories.state)).length === SESSIONS, "every session to be kept");
    },
  };
}
