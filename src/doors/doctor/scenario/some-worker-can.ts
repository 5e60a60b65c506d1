import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { providersAmong } from "../../../comparison/planning/need-names.ts";
import { type Needing, needsOf } from "../../../comparison/planning/needs.ts";
import { NOT_NEEDED, sandboxFor } from "../../../comparison/planning/sandbox-for.ts";
import { openRecordings } from "../../../comparison/planning/session-recordings.ts";
import { Failure } from "../../../domain/failure.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { type Check, fail, pass, warn } from "../check.ts";
import type { DeclaredScenario, Services } from "../services.ts";
import { plannedWith, workersWith } from "../workers.ts";

/** Whether a run would find somebody on a shared store. What the server that is asked has does not count, unless it takes runs. */
export const someWorkerCan: Check<DeclaredScenario> = {
  id: "workers.scenario",
  title: "Some worker has all that it needs",
  needs: ["replay.tapes", "agents.dir"],
  async run({ services, loaded }) {
    const { workers = [] } = services;
    if (workers.length === 0) return warn("nobody takes runs", "start `abeval serve --worker` on this database");
    const needs = await needsOf(services, await needingOf({ services, loaded }));
    const told = needs.map((need) => `${need} on ${workersWith(services, need)}`).join(", ") || "it needs nothing";
    const able = workers.filter(({ capabilities }) => needs.every((need) => capabilities.includes(need)));
    if (able.length > 0) return pass(`${able.length} of ${workers.length}; ${told}`);
    const missing = needs.filter((need) => workersWith(services, need) === 0);
    const detail = missing.length > 0 ? `none has ${missing.join(", ")}` : `none of ${workers.length} has all: ${told}`;
    // As on one machine: a key that is missing is no fault of the scenario.
    const onlyKeys = missing.length > 0 && providersAmong(missing).length === missing.length;
    return onlyKeys ? warn(detail, HINT) : fail(detail, HINT);
  },
};

const HINT = "give one worker all of it; until then a run is refused";

async function needingOf({ services, loaded: { definition } }: DeclaredScenario): Promise<Needing> {
  const recordings = await openRecordings(services, definition, {});
  return {
    arms: definition.arms,
    judge_model: judgeModelName(services, undefined, definition.rubric.judge.model),
    sandbox: await sandboxNeeded(services, definition),
    replayed: recordings?.replayed ?? [],
    recorded: recordings !== undefined,
  };
}

/** One that nobody has is needed all the same. */
async function sandboxNeeded(services: Services, definition: Scenario): Promise<Needing["sandbox"]> {
  try {
    const { sandbox, note } = await sandboxFor(plannedWith(services), definition);
    return note === NOT_NEEDED ? null : sandbox.kind;
  } catch (error) {
    if (error instanceof Failure && error.code === "sandbox_unavailable") return "bubblewrap";
    throw error;
  }
}
