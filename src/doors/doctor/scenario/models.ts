import { splitModelRef } from "../../../arms/model/model-ref.ts";
import { chooseJudge, judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { scriptsOf } from "../../../comparison/planning/choose-script.ts";
import { isRealModel, sandboxForCommands } from "../../../comparison/planning/sandbox-for.ts";
import { openRecordings } from "../../../comparison/planning/session-recordings.ts";
import { Failure } from "../../../domain/failure.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import { type Check, fail, IDLE, pass, warn } from "../check.ts";
import { type DeclaredScenario, plannedWith, type Services } from "../services.ts";

const armModels: Check<DeclaredScenario> = {
  id: "models.arms",
  title: "Models of the arms",
  needs: ["replay.tapes"],
  async run({ services, loaded }) {
    const { arms } = loaded.definition;
    const recordings = await openRecordings(services, loaded.definition, {});
    const { resolveModel } = plannedWith(services);
    const refused = arms.flatMap((arm) => {
      const [script] = scriptsOf(arm);
      const refusals = refusalOf(() => resolveModel(arm.model, script?.turns ?? null, recordings?.arm(arm.id)));
      return refusals.map((message) => ({ model: arm.model, said: `${arm.id}: ${message}` }));
    });
    if (refused.length === 0) return pass(arms.map(({ id, model }) => `${id}: ${model}`).join(", "));
    const detail = refused.map(({ said }) => said).join("\n");
    return refused.every(({ model }) => isKeyAbsent(services, model))
      ? warn(detail, `${KEY_HINT}; --model <provider>/<model> takes another one`)
      : fail(detail, "or run with a model that there is a key for: --model <provider>/<model>");
  },
};

const judgeModel: Check<DeclaredScenario> = {
  id: "models.judge",
  title: "Model of the judge",
  needs: ["replay.tapes"],
  async run({ services, loaded }) {
    const { definition } = loaded;
    const recordings = await openRecordings(services, definition, {});
    const judge = judgeModelName(services, undefined, definition.rubric.judge.model);
    const [refusal] = refusalOf(() => chooseJudge(plannedWith(services), undefined, definition, recordings?.judge()));
    if (refusal === undefined) return pass(judge);
    return judgesNamed(judge).some((one) => isKeyAbsent(services, one)) ? warn(refusal, KEY_HINT) : fail(refusal, null);
  },
};

const KEY_HINT = "a run is refused without it";

/** A missing key is no fault of the scenario: the run may have it. */
function isKeyAbsent({ providers }: Pick<Services, "providers">, model: string): boolean {
  const { provider } = splitModelRef(model);
  return providers().some((known) => known.provider === provider && !known.present);
}

/** A run is refused when a model would run commands without a sandbox. */
const modelSandbox: Check<DeclaredScenario> = {
  id: "models.sandbox",
  title: "Sandbox for the arms",
  async run({ services, loaded }) {
    try {
      const fromModel = loaded.definition.arms.some(isRealModel);
      const { sandbox, note } = await sandboxForCommands(plannedWith(services), loaded.definition);
      if (note !== null && fromModel) return warn(note, sandbox.kind === "none" ? BARE_HINT : HOST_NETWORK_HINT);
      return pass(note ?? sandbox.kind);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { reason, fix } = error.details ?? {};
      return fail(`the run would be refused: ${String(reason)}`, String(fix));
    }
  },
};

const BARE_HINT = "leave out --sandbox none where bubblewrap works";
const HOST_NETWORK_HINT = "leave out --accept-host-network where slirp4netns is installed";

function refusalOf(resolve: () => unknown): readonly string[] {
  try {
    resolve();
    return [];
  } catch (error) {
    if (error instanceof Failure) return [error.message];
    throw error;
  }
}

/** What is missing or does not fit is a Failure, which says so. */
const replayRecordings: Check<DeclaredScenario> = {
  id: "replay.tapes",
  title: "Recordings to replay",
  async run({ services, loaded }) {
    if (services.recordings?.mode !== "replay") return pass(IDLE.no_recording);
    const recordings = await openRecordings(services, loaded.definition, {});
    return pass(`they fit: ${recordings?.replayed.join(", ") || "nobody asks a provider"}`);
  },
};

export const modelChecks: readonly Check<DeclaredScenario>[] = [replayRecordings, armModels, judgeModel, modelSandbox];
