import { splitModelRef } from "../../../arms/model/model-ref.ts";
import { favoursOne, isOneFamily, judgesOf, kinOf } from "../../../comparison/judge/kin.ts";
import { isJudged } from "../../../comparison/judge/scenario-brief.ts";
import { chooseJudge, judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { conditionsOf, selfTestKeyOf } from "../../../comparison/planning/comparison.ts";
import { isRealModel, sandboxFor } from "../../../comparison/planning/sandbox-for.ts";
import { openRecordings } from "../../../comparison/planning/session-recordings.ts";
import { isAnswering } from "../../../domain/answering.ts";
import { scriptsOf } from "../../../domain/arm.ts";
import { Failure } from "../../../domain/failure.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import { after, type Check, check, fail, IDLE, orRefusal, pass, skip, warn } from "../check.ts";
import { type DeclaredScenario, plannedWith, type Services } from "../services.ts";

const armModels = after("replay.tapes")(
  "models.arms",
  "Models of the arms",
  async ({ services, loaded }: DeclaredScenario) => {
    const { arms } = loaded.definition;
    const recordings = await openRecordings(services, loaded.definition, {});
    const { resolveModel } = plannedWith(services);
    const refused = arms
      .filter((arm) => arm.ran === undefined && !isAnswering(arm))
      .flatMap((arm) => {
        const [script] = scriptsOf(arm);
        const refusals = refusalOf(() => resolveModel(arm.model, script?.turns ?? null, recordings?.arm(arm.id)));
        return refusals.map((message) => ({ model: arm.model, said: `${arm.id}: ${message}` }));
      });
    if (refused.length === 0) return pass(arms.map(({ id, model }) => `${id}: ${model}`).join(", "));
    const detail = refused.map(({ said }) => said).join("\n");
    return refused.every(({ model }) => isKeyAbsent(services, model))
      ? warn(detail, `${KEY_HINT}; --model <provider>/<model> uses another model`)
      : fail(detail, "or use a model whose key is set: --model <provider>/<model>");
  },
);

const judgeModel = after("replay.tapes")(
  "models.judge",
  "Model of the judge",
  async ({ services, loaded }: DeclaredScenario) => {
    const { definition } = loaded;
    const recordings = await openRecordings(services, definition, {});
    const judge = judgeModelName(services, undefined, definition.rubric.judge.model);
    const [refusal] = refusalOf(() => chooseJudge(plannedWith(services), undefined, definition, recordings?.judge()));
    if (refusal === undefined) return pass(judge);
    return judgesNamed(judge).some((one) => isKeyAbsent(services, one)) ? warn(refusal, KEY_HINT) : fail(refusal, null);
  },
);

const KEY_HINT = "a run is refused without it";

/** A missing key is no fault of the scenario: the run may have it. */
function isKeyAbsent({ providers }: Pick<Services, "providers">, model: string): boolean {
  const { provider } = splitModelRef(model);
  return providers().some((known) => known.provider === provider && !known.present);
}

/** A run is refused when a model would run commands without a sandbox. */
const modelSandbox = check("models.sandbox", "Sandbox for the arms", async ({ services, loaded }: DeclaredScenario) => {
  const found = await orRefusal(() => sandboxFor(plannedWith(services), loaded.definition));
  if (found instanceof Failure) {
    const { reason, fix } = found.details ?? {};
    return fail(`the run would be refused: ${String(reason)}`, String(fix));
  }
  const { sandbox, note, needed } = found;
  return needed && note !== null && loaded.definition.arms.some(isRealModel)
    ? warn(note, sandbox.kind === "none" ? BARE_HINT : HOST_NETWORK_HINT)
    : pass(note ?? sandbox.kind);
});

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

/** A recording that is missing or does not fit is a Failure, whose message is shown. */
const replayRecordings = check(
  "replay.tapes",
  "Recordings to replay",
  async ({ services, loaded }: DeclaredScenario) => {
    if (services.recordings?.mode !== "replay") return pass(IDLE.no_recording);
    const recordings = await openRecordings(services, loaded.definition, {});
    return pass(`they fit: ${recordings?.replayed.join(", ") || "no provider is called"}`);
  },
);

export const modelChecks: readonly Check<DeclaredScenario>[] = [replayRecordings, armModels, judgeModel, modelSandbox];

/** Only some weights can be 0 here: a file with none above 0 is refused. */
const weights = check("rubric.weights", "Weights of the criteria", ({ loaded }: DeclaredScenario) => {
  const { criteria } = loaded.definition.rubric;
  const weightless = criteria.filter(({ weight }) => weight === 0).map(({ id }) => id);
  return weightless.length === 0
    ? pass(criteria.map(({ id, weight }) => `${id} ${weight}`).join(", "))
    : warn(`${weightless.join(", ")} decides nothing, because its weight is 0`, "give it a weight, or remove it");
});

const judgeFamily = check(
  "rubric.judge_family",
  "Judge is not from the maker of one arm's model",
  ({ services, loaded }: DeclaredScenario) => {
    const {
      arms: [first, ...others],
      rubric,
    } = loaded.definition;
    const judge = judgeModelName(services, undefined, rubric.judge.model);
    if (!rubric.criteria.some(isJudged)) return pass(IDLE.no_judged);
    if (others.some((other) => favoursOne(kinOf(judgesOf(judge), [first, other]))))
      return warn(
        `${judge} comes from the maker of only one arm's model, and may favour that arm`,
        "use a judge from another maker, or a panel with judges from other makers",
      );
    return isOneFamily(judgesOf(judge))
      ? warn(
          `${judge}: all judges come from one maker, so they may err alike`,
          "add judges from other makers to the panel",
        )
      : pass(judge);
  },
);

/** What is known of the judge on this scenario. It looks at what is stored and asks nobody. */
const judgeSelfTest = check(
  "rubric.self_test",
  "Self-test of the judge",
  async ({ services, loaded: { definition } }: DeclaredScenario) => {
    const judge = judgeModelName(services, undefined, definition.rubric.judge.model);
    const key = selfTestKeyOf(conditionsOf(definition, judge));
    if (key === null) return pass(IDLE.no_judge);
    const found = await services.store.self_tests.latest(key);
    if (!found)
      return skip(`${judge} has not been tested on this scenario: abeval judge-test, or POST /api/self-tests`);
    const told = found.parts.map(({ id, verdict, note }) => `${id} ${verdict}: ${note}`).join("; ");
    const age = `${judge}, ${ageOf(services.clock.now().getTime() - Date.parse(found.created_at))} ago: ${told}`;
    return found.verdict === "pass"
      ? pass(age)
      : warn(age, "use another judge or a panel, or sharpen the rubric's anchors");
  },
);

const HOUR_MS = 3_600_000;

function ageOf(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  if (hours < 1) return "less than an hour";
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

export const rubricChecks: readonly Check<DeclaredScenario>[] = [weights, judgeFamily, judgeSelfTest];
