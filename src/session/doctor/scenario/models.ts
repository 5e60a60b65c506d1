import { Failure } from "../../../domain/failure.ts";
import { THIS_HOST } from "../../../workspace/sandbox/host.ts";
import { chooseJudge } from "../../choose-judge.ts";
import { isRealModel, sandboxForCommands } from "../../sandbox-for.ts";
import { type Check, fail, pass, warn } from "../check.ts";
import type { Declared } from "./declared.ts";

export const armModels: Check<Declared> = {
  id: "models.arms",
  title: "Models of the arms",
  run({ services, loaded }) {
    const { arms } = loaded.definition;
    const refusals = arms.flatMap(({ id, model, script }) =>
      refusalOf(() => services.resolveModel(model, script)).map((message) => `${id}: ${message}`),
    );
    return refusals.length === 0
      ? pass(arms.map(({ id, model }) => `${id}: ${model}`).join(", "))
      : fail(refusals.join("\n"), "or run with a model that there is a key for: --model <provider>/<model>");
  },
};

export const judgeModel: Check<Declared> = {
  id: "models.judge",
  title: "Model of the judge",
  run({ services, loaded }) {
    const { judge_model } = chooseJudge(services, undefined, loaded.definition);
    return pass(judge_model);
  },
};

/** Without a sandbox nobody lets a model run commands. */
export const modelSandbox: Check<Declared> = {
  id: "models.sandbox",
  title: "Sandbox for the arms",
  async run({ services, loaded }) {
    const { sandbox: mode, sandbox_host = THIS_HOST } = services;
    try {
      const fromModel = loaded.definition.arms.some(isRealModel);
      const { sandbox, note } = await sandboxForCommands(mode, loaded.definition, sandbox_host);
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
