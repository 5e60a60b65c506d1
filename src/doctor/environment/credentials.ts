import { Failure } from "../../domain/failure.ts";
import { judgesNamed } from "../../domain/judge-name.ts";
import { Credentials } from "../../model/credentials.ts";
import { BUILTIN_JUDGE } from "../../model/model-ref.ts";
import { listProviders, type ProviderStatus } from "../../model/resolve-model.ts";
import { judgeModelName } from "../../session/choose-judge.ts";
import { type Check, pass, warn } from "../check.ts";
import type { Services } from "../services.ts";

/** Looks only whether keys are there. Asking a provider whether a key is good could cost money. */
export const credentials: Check<Services> = {
  id: "credentials",
  title: "Provider credentials",
  run({ providers }) {
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
    return present.some(isConfigured) ? pass(detail) : warn(detail, NONE_HINT);
  },
};

const NONE_HINT =
  "only scripted scenarios can run; for a model set its provider's variable, for example ANTHROPIC_API_KEY";

const HEADERS_HINT =
  'mend the variable: a JSON object such as {"x-route": "team-a"}, or a line of `x-route: team-a` for each header';

/** Known local servers need no key. That they are known does not mean that one runs. */
const KEYLESS = new Set(
  listProviders(new Credentials({}))
    .filter(({ present }) => present)
    .map(({ provider }) => provider),
);

/** Somebody has set it up: it is not merely known to need no key. */
export const isConfigured = ({ provider, base_url_overridden }: ProviderStatus) =>
  base_url_overridden || !KEYLESS.has(provider);

function inWords({ provider, base_url_overridden, header_names }: ProviderStatus): string {
  const notes = [
    ...(base_url_overridden ? ["own address"] : KEYLESS.has(provider) ? ["needs no key"] : []),
    ...(header_names.length > 0 ? [`headers ${header_names.join(" ")}`] : []),
  ];
  return notes.length > 0 ? `${provider} (${notes.join(", ")})` : provider;
}

/** The judge of a scenario that names none. */
export const defaultJudge: Check<Services> = {
  id: "credentials.judge",
  title: "Default judge",
  run(services) {
    const judge = judgeModelName(services, undefined, null);
    if (judge === BUILTIN_JUDGE) return pass(`${judge}, which asks no model`);
    try {
      for (const one of judgesNamed(judge)) services.resolveModel(one, null);
      return pass(judge);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return warn(error.message, `or judge without a model: ABEVAL_JUDGE_MODEL=${BUILTIN_JUDGE}`);
    }
  },
};
