import type { ProviderStatus } from "../../../arms/model/check-model.ts";
import { BUILTIN_JUDGE } from "../../../arms/model/model-ref.ts";
import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { providersAmong } from "../../../comparison/planning/needs.ts";
import { Failure } from "../../../domain/failure.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import { type Check, pass, warn } from "../check.ts";
import { plannedWith, type Services } from "../services.ts";

/** Looks only whether keys are there. Asking a provider whether a key is good could cost money. */
const credentials: Check<Services> = {
  id: "credentials",
  title: "Provider credentials",
  run({ providers, workers = [] }) {
    const known = providers();
    const [present, absent] = [known.filter((it) => it.present), known.filter((it) => !it.present)];
    const detail = [
      present.length > 0 ? `present: ${present.map(inWords).join(", ")}` : "",
      absent.length > 0 ? `absent: ${absent.map(({ provider }) => provider).join(", ")}` : "",
    ]
      .filter((part) => part !== "")
      .join("; ");
    const problems = known.flatMap(({ headers_problem }) => headers_problem ?? []);
    if (problems.length > 0) return warn([detail, ...problems].join("; "), HEADERS_HINT);
    if (present.some(({ local }) => !local)) return pass(detail);
    const locals = known.filter(({ local }) => local).map(({ provider }) => provider);
    const ofWorkers = new Set(workers.flatMap(({ capabilities }) => providersAmong(capabilities))).difference(
      new Set(locals),
    );
    return ofWorkers.size > 0
      ? pass(`${detail}; workers have ${[...ofWorkers].sort().join(", ")}, and runs go to them`)
      : warn(detail, NONE_HINT);
  },
};

const NONE_HINT =
  "only scripted scenarios can run; to run a model, set its provider's key, for example ANTHROPIC_API_KEY";

const HEADERS_HINT =
  'correct the variable: it must be a JSON object such as {"x-route": "team-a"}, or a line of `x-route: team-a` for each header';

function inWords({ provider, base_url_overridden, local, header_names }: ProviderStatus): string {
  const notes = [
    ...(base_url_overridden ? ["own address"] : local ? ["needs no key"] : []),
    ...(header_names.length > 0 ? [`headers ${header_names.join(" ")}`] : []),
  ];
  return notes.length > 0 ? `${provider} (${notes.join(", ")})` : provider;
}

/** The judge of a scenario that names none. */
const defaultJudge: Check<Services> = {
  id: "credentials.judge",
  title: "Default judge",
  run(services) {
    const judge = judgeModelName(services, undefined, null);
    if (judge === BUILTIN_JUDGE) return pass(`${judge}, which asks no model`);
    try {
      const { resolveModel } = plannedWith(services);
      for (const one of judgesNamed(judge)) resolveModel(one, null);
      return pass(judge);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return warn(error.message, `or judge without a model: ABEVAL_JUDGE_MODEL=${BUILTIN_JUDGE}`);
    }
  },
};

export const credentialChecks: readonly Check<Services>[] = [credentials, defaultJudge];
